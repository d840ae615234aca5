// SPDX-License-Identifier: Apache-2.0
// A plan's profile made into what the runtime can replay: the chain of the plan's order, with predicted durations.
#pragma once

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/simulation.hpp"
#include "core/model/workload.hpp"
#include "core/runtime/exec/replay.hpp"

namespace pipedeck::cli::work {

/// Durations are those of the prediction: where a stage's devices are of different types, of the slowest. bad_input for
/// tensor parallelism (the passes would lack their all-reduces), and where the devices' predicted memory together is
/// more than this machine has.
Result<runtime::exec::ReplayModel> replay_of(const Problem& problem, const Plan& plan, const Simulation& predicted);

}  // namespace pipedeck::cli::work
