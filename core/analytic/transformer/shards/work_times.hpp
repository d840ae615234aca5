// SPDX-License-Identifier: Apache-2.0
// The time of a layer's compute on a rank, from counted work and a device type's efficiency.
#pragma once

#include <string>
#include <vector>

#include "core/analytic/transformer/shards/layer_shard.hpp"
#include "core/base/result.hpp"
#include "core/base/units.hpp"
#include "core/model/cluster.hpp"
#include "core/model/efficiency.hpp"
#include "core/model/pass.hpp"
#include "core/model/training.hpp"

namespace pipedeck::analytic::transformer::shards {

/// A device type with what it reaches of its data sheet.
struct Rates {
  DeviceType type;
  DeviceEfficiency reached;
};

enum class Compute { forward, recompute, input_gradient, weight_gradient };

/// A product's part of a pass's compute.
struct NamedTime {
  std::string name;
  Seconds time;
  double peak = 0;  ///< operations per second at its precision
};

/// A pass's compute: products + attention + memory = total. If the host is slower than the device, all parts take
/// longer in proportion.
struct WorkTime {
  Seconds total;
  std::vector<NamedTime> products;  ///< by name, without attention
  Seconds attention;                ///< scores and weighted values
  double attention_peak = 0;        ///< operations per second at their precision
  Seconds memory;                   ///< kernels bound by memory: norms, activations, casts of narrow products
  Seconds shared_experts;           ///< of `products`, those of shared experts
  bool bound_by_host = false;
};

/// Returns the time of a pass's work. Products of blocks run at the precision of `training`; attention, head and router
/// in 16 bits. `gradient_bytes`: of a weight's gradient. With adapters, frozen weights have no gradient. bad_input
/// names the precision and the device type if the table or the data sheet lacks it.
Result<WorkTime> work_time(const LayerShard& layer, Compute pass, const Rates& rates, const Training& training,
                           double gradient_bytes = 4);

/// A layer's compute by pass.
struct LayerWork {
  WorkTime forward, recompute, input_gradient, weight_gradient;
  const WorkTime& of(Pass pass) const {
    return pass == Pass::forward ? forward : pass == Pass::recompute ? recompute : input_gradient;
  }
};
/// As work_time().
Result<LayerWork> layer_work(const LayerShard& layer, const Rates& rates, const Training& training,
                             double gradient_bytes = 4);

/// Returns the precision of what is not narrow.
std::string wide_precision(const Rates& rates, const Training& training);

}  // namespace pipedeck::analytic::transformer::shards
