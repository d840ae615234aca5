// SPDX-License-Identifier: Apache-2.0
// An iteration's gain from a better link or device: each one is improved by itself, and the plan simulated again.
#pragma once

#include <stop_token>

#include "core/base/progress.hpp"
#include "core/model/explanation.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::sim::explain {

/// From one generation of network cards to the next: 25, 100, 400 Gbit/s.
inline constexpr double link_step = 4;

/// Every link's bandwidth, every used device's speed (of passes and of its memory) and memory, `factor` times as much.
/// More memory changes how many micro-batches are kept, and with them the order of operations, where a schedule goes by
/// it; where it does not, nothing is simulated again. Levers make whole groups better: devices by `factor`, links by
/// `link_step`, and twice as many micro-batches. `threads` changes speed, never the answer.
Result<Sensitivity> sensitivity(const Problem& problem, const Plan& plan, double factor = 1.1,
                                const Progress& progress = {}, std::stop_token stop = {}, int threads = 1);

}  // namespace pipedeck::sim::explain
