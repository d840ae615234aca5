// SPDX-License-Identifier: Apache-2.0
// From a plan to the order of operations on every device. One schedule a file; this is their registry.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"
#include "core/domain/schedule.hpp"
#include "core/schedule/figures.hpp"

namespace pipedeck {

struct ScheduleInfo {
  ScheduleKind kind;
  std::string name;     ///< as in plan files
  std::string summary;  ///< one line for lists and tooltips
};
const std::vector<ScheduleInfo>& schedules();

/// bad_input where the plan's stages are not placed as its schedule needs them, with what it needs.
Result<Schedule> build_schedule(const Plan& plan, std::span<const StageFigures> figures);

/// Warm-up forwards of every stage of gpipe, 1f1b and pipedream: warmup_counts, or the policy's K_i, never more than
/// the micro-batches.
std::vector<int> warmup_counts(const Plan& plan, std::span<const StageFigures> figures);

/// Proves that the schedule ends: sends and receives match in order, and list order with data dependence has no cycle.
/// A failing one names the cycle.
Result<void> prove_deadlock_free(const Schedule& schedule, const Plan& plan);

}  // namespace pipedeck
