// SPDX-License-Identifier: Apache-2.0
// Time of one layer's passes at a number of samples, on a device type, at a degree of tensor parallelism: the profile's
// points, scaled as formats.md says. Exact sums of seconds; whoever makes an operation of several layers rounds once.
#pragma once

#include "core/domain/cluster.hpp"
#include "core/domain/profile.hpp"

namespace pipedeck {

struct LayerTimes {
  Seconds forward, backward, backward_weight;
};

/// `samples` on each device (after the cut over replicas), >= 1. Unlisted degree: the validated plan can't ask for it.
LayerTimes layer_times(const Profile& profile, const Layer& layer, int samples, const Cluster& cluster,
                       const DeviceType& type, int tensor_parallel = 1);

/// Bytes of `samples` samples where `bytes` is for Profile::micro_batch of them, rounded up once.
Bytes scale_bytes(Bytes bytes, int samples, int profile_micro_batch);

}  // namespace pipedeck
