// SPDX-License-Identifier: Apache-2.0
// joint's last step, where it is asked for (--schedule all): the best synchronous plans under every other schedule, cut
// into as many chunks as that needs. Local moves do not lead on from these: they know one stage a device.
#include "core/plan/reschedule.hpp"
#include "core/plan/validate.hpp"
#include "core/planner/joint/run.hpp"

namespace pipedeck::planner::joint {
namespace {

constexpr std::size_t num_starts = 8;

/// Returns the chunks per rank to try; more of them cost more transfers.
std::vector<int> stage_copies(ScheduleKind kind) {
  return kind == ScheduleKind::interleaved ? std::vector<int>{2, 3, 4} : std::vector<int>{2};
}

/// Returns true for the fixed synchronous schedules that joint's search does not cover.
bool is_other(const ScheduleTraits& schedule) {
  return !schedule.asynchronous && schedule.placement != StagePlacement::any && schedule.kind != ScheduleKind::gpipe &&
         schedule.kind != ScheduleKind::one_f_one_b;
}

void add_under(ScheduleKind kind, const Plan& plan, const Run& run, std::vector<Plan>& others) {
  for (const int chunks : stage_copies(kind)) {
    const auto other = plan::with_schedule(plan, *run.problem.profile, kind, chunks);
    if (other && plan::validate(*other, *run.problem.profile, *run.problem.cluster)) others.push_back(*other);
  }
}

}  // namespace

Result<void> reschedule_joint_plans(Run& run) {
  if (run.wanted.schedules != Schedules::all) return {};
  std::vector<Plan> plans, others;
  for (const Pool::Entry& entry : run.pool.entries())
    if (plans.size() < num_starts && entry.plan.synchronous() && entry.plan.stages.size() > 1)
      plans.push_back(entry.plan);
  for (const Plan& plan : plans)
    for (const ScheduleTraits& schedule : all_schedules)
      if (is_other(schedule)) add_under(schedule.kind, plan, run, others);
  return run.pool.add_judged(others);
}

}  // namespace pipedeck::planner::joint
