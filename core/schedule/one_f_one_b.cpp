// SPDX-License-Identifier: Apache-2.0
// 1F1B with DAPPLE's early backward (section V): K_i forwards, then alternating backward and forward, then the
// remaining backwards.
#include "core/plan/warmups.hpp"
#include "core/schedule/build.hpp"
#include "core/schedule/builders.hpp"

namespace pipedeck::schedule {

/// If memory limits an early stage, later stages follow it. A stage that needs more forwards than the previous one
/// sends before its first backward would wait forever.
std::vector<int> fitting_warmups(const Plan& plan, std::span<const StageEstimates> figures) {
  std::vector<int> warmups =
      plan::policy_warmups(static_cast<int>(plan.stages.size()), plan.micro_batches, plan.warmup);
  int before = plan.micro_batches;
  for (std::size_t i = 0; i < warmups.size(); ++i)
    before = warmups[i] = std::min({warmups[i], figures[i].max_in_flight, before});
  return warmups;
}

Schedule one_f_one_b(const Plan& plan, std::span<const StageEstimates>) {
  const std::vector<int> warmups = warmup_counts(plan);
  const auto order = [&](StageId stage, int) {
    return AlternatingOrder{stage, warmups[stage.index()], 0,
                            1,     plan.micro_batches,     plan.stages[stage.index()].recompute.any()};
  };
  return {plan.micro_batches, true, lanes_of(plan, order)};
}

}  // namespace pipedeck::schedule
