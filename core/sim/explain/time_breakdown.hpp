// SPDX-License-Identifier: Apache-2.0
// The parts of an iteration, found by leaving out one cause after another and simulating again with the same lists
// (docs/simulator.md, "Waterfall"). They are differences of whole nanoseconds, so they add up to the iteration exactly.
#pragma once

#include <stop_token>

#include "core/model/explanation.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::sim::explain {

/// Two of them make a waterfall (core/model/explanation.hpp).
Result<TimeBreakdown> time_breakdown(const Simulator& simulator, const Plan& plan, std::stop_token stop = {});

}  // namespace pipedeck::sim::explain
