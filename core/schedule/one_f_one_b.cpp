// SPDX-License-Identifier: Apache-2.0
// 1F1B with DAPPLE's early backward (section V): K_i forwards, then alternating backward and forward, then the
// remaining backwards. If memory limits an early stage, later stages follow it. A stage that needs more forwards than
// the previous one sends before its first backward would wait forever.
#include "core/schedule/build.hpp"
#include "core/schedule/closed_forms.hpp"

namespace pipedeck::schedule {

std::vector<int> policy_warmups(const Plan& plan, std::span<const StageEstimates> figures) {
  const int stages = static_cast<int>(plan.stages.size());
  std::vector<int> warmups;
  for (int i = 0; i < stages; ++i) {
    const int behind = plan.warmup == Warmup::A ? stages - i : 2 * (stages - i) - 1;
    const int before = i == 0 ? plan.micro_batches : warmups.back();
    warmups.push_back(std::min({behind, figures[static_cast<std::size_t>(i)].fitting, before}));
  }
  return warmups;
}

Schedule one_f_one_b(const Plan& plan, std::span<const StageEstimates> figures) {
  const std::vector<int> warmups = warmup_counts(plan, figures);
  const auto order = [&](StageId stage, int) {
    return AlternatingOrder{stage, warmups[stage.index()], 0,
                            1,     plan.micro_batches,     plan.stages[stage.index()].recompute.any()};
  };
  return {plan.micro_batches, true, lanes_of(plan, order)};
}

}  // namespace pipedeck::schedule
