// SPDX-License-Identifier: Apache-2.0
// Which operations decide the iteration (simulator.md, "From a timeline"): a chain from its begin to its end in which
// each one begins at the very nanosecond at which the one before it ends.
#pragma once

#include <stop_token>

#include "core/model/explanation.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::sim::explain {

/// Lanes and rows are those of `simulator.run(plan)`. As long as transfers keep their order on each way, and
/// optimizer steps theirs on each device, making operations faster that are not on the path changes nothing; of an
/// asynchronous plan this holds for the path's end.
Result<CriticalPath> critical_path(const Simulator& simulator, const Plan& plan, std::stop_token stop = {});

}  // namespace pipedeck::sim::explain
