// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/build.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/plan/warmups.hpp"
#include "core/schedule/builders.hpp"

namespace pipedeck::schedule {

std::vector<int> warmup_counts(const Plan& plan) {
  if (plan.schedule == ScheduleKind::gpipe) return std::vector<int>(plan.stages.size(), plan.micro_batches);
  if (!plan.synchronous()) {
    std::vector<int> counts;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) counts.push_back(pipedream_warmup(plan, StageId(s)));
    return counts;
  }
  if (!plan.warmup_counts)
    return plan::policy_warmups(static_cast<int>(plan.stages.size()), plan.micro_batches, plan.warmup);
  std::vector<int> counts = *plan.warmup_counts;
  for (int& count : counts) count = std::min(count, plan.micro_batches);
  return counts;
}

Result<Schedule> build_schedule(const Plan& plan, std::span<const StageEstimates> figures) {
  if (plan.stages.empty()) return fail(ErrorCode::bad_input, "found no stages, expected at least one", "/stages");
  const std::size_t counts = plan.warmup_counts ? plan.warmup_counts->size() : figures.size();
  const bool warms_up = plan.schedule == ScheduleKind::one_f_one_b || plan.schedule == ScheduleKind::zb_h1 ||
                        plan.schedule == ScheduleKind::zb_h2;
  if (warms_up && counts != plan.stages.size())
    return fail(
        ErrorCode::bad_input,
        fmt::format("found {} warm-up counts, expected one for each of the {} stages", counts, plan.stages.size()),
        "/warmup_counts");
  for (const Builder& builder : builders)
    if (builder.kind == plan.schedule) return builder.build(plan, figures);
  return fail(ErrorCode::bad_input, fmt::format("found '{}', which is not offered", name_of(plan.schedule)),
              "/schedule");
}

}  // namespace pipedeck::schedule
