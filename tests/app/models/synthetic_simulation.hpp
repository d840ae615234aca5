// SPDX-License-Identifier: GPL-3.0-or-later
// Simulations made by hand for tests of the views: 1F1B over replicated stages with transfers, all-reduce and
// optimizer.
#pragma once

#include <memory>

#include "core/model/memory_items.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::app {

struct SyntheticPipeline {
  int stages = 2;
  int replicas = 8;
  int micro_batches = 4;
  double forward_ms = 48, backward_ms = 88;
  double skew = 0.05;  ///< each further stage is longer by this share
  double transfer_ms = 14;
  double all_reduce_ms = 18;  ///< 0: none
  bool overlap = false;       ///< the all-reduce starts within the last backward
  double optimizer_ms = 18;
  bool recompute = false;
  bool split_backward = false;  ///< input and weight gradient apart
  double memory_gib = 16, static_gib = 7, activation_gib = 2;
};

std::shared_ptr<const Simulation> synthetic_simulation(const SyntheticPipeline& pipeline);

/// The curves of such a simulation by item: what is kept, a tenth of it as boundary and a twentieth as workspace.
std::shared_ptr<const std::vector<DeviceItems>> synthetic_items(const Simulation& simulation);

/// Returns `operations` over `lanes` lanes: forwards and backwards of 1 to 3 us with some gaps, determined by the seed.
/// With `burst` the first half of each lane's operations is in its first hundredth.
std::shared_ptr<const Timeline> random_timeline(std::size_t operations, int lanes, std::uint32_t seed,
                                                bool burst = false);

}  // namespace pipedeck::app
