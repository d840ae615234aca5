// SPDX-License-Identifier: Apache-2.0
// Conversion of a plan to the order of operations on every device. Each schedule has its own file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/schedule.hpp"
#include "core/schedule/stage_estimates.hpp"

namespace pipedeck::schedule {

/// Returns the schedule. bad_input states the required placement if the plan's stages are not placed as its schedule
/// needs.
Result<Schedule> build_schedule(const Plan& plan, std::span<const StageEstimates> figures);

/// Returns the warm-up forwards of every stage of gpipe, 1f1b and pipedream: warmup_counts or the policy's K_i, at most
/// the number of micro-batches. Memory does not shorten them: if they do not fit, the plan does not.
std::vector<int> warmup_counts(const Plan& plan);

/// Proves that the schedule terminates: sends and receives match in order, and list order with data dependence has no
/// cycle. An error names the cycle.
Result<void> check_deadlock_free(const Schedule& schedule, const Plan& plan);

}  // namespace pipedeck::schedule
