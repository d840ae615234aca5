// SPDX-License-Identifier: Apache-2.0
// The time of a layer's compute on a rank, from counted work and a device type's efficiency.
#pragma once

#include <string>
#include <vector>

#include "core/analytic/transformer/shards/layer_shard.hpp"
#include "core/mesh/question.hpp"
#include "core/model/device_model.hpp"
#include "core/model/efficiency.hpp"

namespace pipedeck::mesh {

/// A device type with what it reaches.
struct Rates {
  DeviceType type;
  DeviceEfficiency reached;
};

enum class Compute { forward, recompute, input_gradient, weight_gradient };

/// A product's part of a pass's compute.
struct NamedTime {
  std::string name;
  Seconds time;
};

/// A pass's compute: products + attention + memory = total. If the host is slower than the device, all parts take
/// longer in proportion.
struct WorkTime {
  Seconds total;
  std::vector<NamedTime> products;  ///< by name, without attention
  Seconds attention;                ///< scores and weighted values
  Seconds memory;                   ///< kernels bound by memory: norms, activations, casts of narrow products
  Seconds shared_experts;           ///< of `products`, those of shared experts
  bool bound_by_host = false;
};

/// Returns the time of a pass's work. Products of blocks run at the precision of `training`; attention, head and router
/// in 16 bits. With adapters, frozen weights have no gradient. bad_input names the precision and the device type if the
/// table or the data sheet lacks it.
Result<WorkTime> work_time(const analytic::transformer::shards::LayerShard& layer, Compute pass, const Rates& rates,
                           const Training& training);

}  // namespace pipedeck::mesh
