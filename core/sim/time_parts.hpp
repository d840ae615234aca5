// SPDX-License-Identifier: Apache-2.0
// What an iteration consists of, found by leaving one thing out after another and simulating again with the same lists
// (docs/simulator.md, "Waterfall"). Differences of whole nanoseconds: the parts add up to the iteration exactly.
#pragma once

#include <stop_token>

#include "core/domain/explanation.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck {

/// Two of them make a waterfall (core/domain/explanation.hpp).
Result<TimeParts> time_parts(const Simulator& simulator, const Plan& plan, std::stop_token stop = {});

}  // namespace pipedeck
