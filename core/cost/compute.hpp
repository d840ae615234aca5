// SPDX-License-Identifier: Apache-2.0
// Time of a layer's passes by number of samples, device type and tensor-parallel degree, scaled from the profile's
// points as in formats.md. Sums are exact seconds; the caller that forms an operation from several layers rounds once.
#pragma once

#include "core/model/cluster.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::cost {

struct LayerTimes {
  Seconds forward, backward, backward_weight;
};

/// Returns the layer's times for `samples` >= 1 per device, after the division over replicas. The degree must be listed
/// in the profile; validated plans use no other.
LayerTimes layer_times(const Profile& profile, const Layer& layer, int samples, const Cluster& cluster,
                       const DeviceType& type, int tensor_parallel = 1);

/// Returns the bytes of `samples` samples, rounded up once. `bytes` is for Profile::micro_batch samples.
Bytes scale_bytes(Bytes bytes, int samples, int profile_micro_batch);

}  // namespace pipedeck::cost
