// SPDX-License-Identifier: Apache-2.0
#include "core/plan/warmups.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pipedeck::plan {

std::vector<int> policy_warmups(int stages, int micro_batches, Warmup policy) {
  std::vector<int> counts;
  for (int i = 0; i < stages; ++i) {
    const int wanted = policy == Warmup::A ? stages - i : 2 * (stages - i) - 1;
    counts.push_back(std::min(wanted, micro_batches));
  }
  return counts;
}

std::optional<ShortWarmup> short_warmup(const Plan& plan) {
  if (plan.schedule != ScheduleKind::one_f_one_b || !plan.warmup_counts) return {};
  const auto whole = policy_warmups(static_cast<int>(plan.stages.size()), plan.micro_batches, Warmup::A);
  for (std::size_t s = 0; s < whole.size() && s < plan.warmup_counts->size(); ++s)
    if (const int held = (*plan.warmup_counts)[s]; held < whole[s])
      return ShortWarmup{static_cast<int>(s), held, whole[s]};
  return {};
}

std::string short_warmup_text(const Plan& plan) {
  const auto found = short_warmup(plan);
  return found ? fmt::format(", warm-up {} of {}", found->held, found->whole) : std::string();
}

}  // namespace pipedeck::plan
