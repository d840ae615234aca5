// SPDX-License-Identifier: Apache-2.0
// Profiles computed from layer shapes: operations and bytes of each kind of layer. Formulas carry their sources.
#pragma once

#include <cstdint>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::analytic::transformer {

/// A layer's cost for one sample in fp32.
struct LayerShape {
  double forward_flops = 0;  ///< floating-point operations, a multiply-add counted as two
  double backward_flops = 0;
  double backward_weight_flops = 0;
  double touched_bytes = 0;  ///< read and written by forward: decides for memory-bound layers
  Bytes output, saved, parameters, workspace;
};
Result<LayerShape> shape_of(const ModelLayer& layer);

/// A device's speed as reached in practice, not its peak.
struct DeviceSpeed {
  std::string name;             ///< device type
  double flops_per_second = 0;  ///< reached in practice
  BytesPerSecond memory;
};

/// Computes a profile. The loss layer is included in the layer before it, since it has no stage of its own.
Result<Profile> profile_from_shapes(const ModelSpec& model, const DeviceSpeed& device, int micro_batch);

}  // namespace pipedeck::analytic::transformer
