// SPDX-License-Identifier: Apache-2.0
#include "core/sim/engine/trace.hpp"

#include <algorithm>
#include <cmath>

namespace pipedeck::sim::engine {

std::int64_t gradient_ready(const costs::StageReplicaCosts& worker, OpKind last, std::int64_t duration,
                            std::size_t nth) {
  const bool weight = last == OpKind::backward_weight;
  const std::int64_t own = worker.duration[static_cast<std::size_t>(last)],
                     after = (weight ? worker.ready_in_weight : worker.ready_in_backward)[nth];
  if (duration == own || own == 0) return after;
  const double share = static_cast<double>(after) / static_cast<double>(own);
  return static_cast<std::int64_t>(std::floor(share * static_cast<double>(duration) + 0.5));
}

std::vector<OptimizerStep> optimizer_steps(const costs::PlanCosts& costs, const Trace& trace, std::size_t lane,
                                           std::size_t rank) {
  std::vector<OptimizerStep> steps;
  for (const std::size_t w : costs.lanes[lane].workers) {
    const costs::StageReplicaCosts& worker = costs.workers[w];
    steps.push_back({worker.stage, trace.synchronised[static_cast<std::size_t>(worker.stage)], worker.optimizer[rank]});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const OptimizerStep& a, const OptimizerStep& b) { return a.start < b.start; });
  std::int64_t free = trace.end[lane];
  for (OptimizerStep& step : steps) {
    step.start = std::max(step.start, free);
    free = step.start + step.duration;
  }
  return steps;
}

std::int64_t end_of_step(const costs::PlanCosts& costs, const Trace& trace, std::size_t lane) {
  std::int64_t end = 0;
  for (std::size_t rank = 0; rank < costs.lanes[lane].devices.size(); ++rank) {
    const OptimizerStep last = optimizer_steps(costs, trace, lane, rank).back();
    end = std::max(end, last.start + last.duration);
  }
  return end;
}

Nanoseconds synchronous_iteration(const costs::PlanCosts& costs, const Trace& trace) {
  std::int64_t end = 0;
  for (std::size_t lane = 0; lane < costs.lanes.size(); ++lane) end = std::max(end, end_of_step(costs, trace, lane));
  return Nanoseconds(end);
}

PassDurations pass_durations(const Trace& trace) {
  PassDurations passes;
  for (const std::vector<TimelineRow>& rows : trace.operations) {
    std::vector<std::int64_t>& own = passes.emplace_back();
    for (const TimelineRow& row : rows)
      if (row.operation.kind != OpKind::optimizer) own.push_back(row.duration.count);
  }
  return passes;
}

}  // namespace pipedeck::sim::engine
