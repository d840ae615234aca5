// SPDX-License-Identifier: Apache-2.0
// PipeDream's 1F1B-RR (Narayanan et al., SOSP 2019, section 3.2): mini-batch b is processed by replica b mod r of a
// stage, both forward and backward. NOAM at every stage can deadlock if replica counts differ, so each stage has its
// own K_s. Vertical sync (section 3.3) has the same order. It changes only the weight version that a mini-batch uses,
// and so the number of versions per stage.
#include "core/schedule/builders.hpp"

namespace pipedeck::schedule {

int pipedream_warmup(const Plan& plan, StageId stage) {
  int workers = 0;
  for (std::size_t t = stage.index(); t < plan.stages.size(); ++t) workers += plan.stages[t].replicas();
  const int replicas = plan.stages[stage.index()].replicas();
  return (workers + replicas - 1) / replicas;
}

int pipedream_mini_batches(const Plan& plan) {
  if (plan.schedule == ScheduleKind::pipedream_2bw) return pipedream_2bw_batches * plan.micro_batches;
  return std::max(plan.micro_batches, 8 * pipedream_warmup(plan, StageId(0)) * plan.stages.front().replicas());
}

Schedule pipedream(const Plan& plan) {
  const int total = pipedream_mini_batches(plan);
  const auto order = [&](StageId id, int replica) {
    const Stage& stage = plan.stages[id.index()];
    const int stride = stage.replicas();
    const int count = std::max(0, (total - replica + stride - 1) / stride);
    return AlternatingOrder{id, pipedream_warmup(plan, id), replica, stride, count, stage.recompute.any()};
  };
  return {total, false, lanes_of(plan, order)};
}

}  // namespace pipedeck::schedule
