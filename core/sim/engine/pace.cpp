// SPDX-License-Identifier: Apache-2.0
#include "core/sim/engine/pace.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "core/cost/memory.hpp"

namespace pipedeck::sim::engine {
namespace {

/// Returns true if `ends` grow by one time every `period` entries, over the last `window` of them. Flows of the
/// `shared` network end at rounded times.
bool repeats(std::span<const std::int64_t> ends, std::size_t period, std::size_t window) {
  constexpr std::int64_t rounding = 2;  // ns
  const std::int64_t time = ends.back() - ends[ends.size() - 1 - period];
  for (std::size_t i = ends.size() - window; i < ends.size(); ++i)
    if (std::abs(ends[i] - ends[i - period] - time) > rounding) return false;
  return true;
}

/// Returns the mean growth of the last two thirds: between the centres of their halves, where bursts even out.
Pace mean_pace(std::span<const std::int64_t> ends, std::size_t step) {
  const std::size_t half = std::max<std::size_t>(1, ends.size() / 3 / step) * step;
  if (ends.size() < 2 * half) return {static_cast<double>(ends.back()), static_cast<double>(ends.size()), false};
  double time = 0;
  for (std::size_t i = ends.size() - half; i < ends.size(); ++i) time += static_cast<double>(ends[i] - ends[i - half]);
  return {time / static_cast<double>(half), static_cast<double>(half), false};
}

/// Counts the worker's own mini-batches.
Pace pace_of(std::span<const std::int64_t> ends, std::size_t step, std::size_t in_flight) {
  for (std::size_t period = step; 2 * (period + in_flight) <= ends.size(); period += step)
    if (repeats(ends, period, period + 2 * in_flight))
      return {static_cast<double>(ends.back() - ends[ends.size() - 1 - period]), static_cast<double>(period), true};
  return mean_pace(ends, step);
}

}  // namespace

Pace steady_pace(const EngineInput& run, const Trace& trace) {
  const Plan& plan = run.plan;
  const int in_flight = cost::pipedream_versions(plan, StageId(0)) * plan.stages.front().replicas();
  const int usable = run.schedule.micro_batches - in_flight;
  Pace slowest;
  bool periodic = true;
  for (std::size_t w = 0; w < run.costs.workers.size(); ++w) {
    const costs::StageReplicaCosts& worker = run.costs.workers[w];
    const int replicas = plan.stages[static_cast<std::size_t>(worker.stage)].replicas();
    const auto count = static_cast<std::size_t>(std::max(1, (usable - worker.replica + replicas - 1) / replicas));
    const int step = plan.schedule == ScheduleKind::pipedream_2bw ? plan.micro_batches / replicas : 1;
    Pace pace = pace_of(std::span(trace.backward_ends[w]).first(count), static_cast<std::size_t>(step),
                        static_cast<std::size_t>((in_flight + replicas - 1) / replicas));
    periodic = periodic && pace.periodic;
    pace.mini_batches *= replicas;
    if (pace.time * slowest.mini_batches > slowest.time * pace.mini_batches) slowest = pace;
  }
  slowest.periodic = periodic;
  return slowest;
}

}  // namespace pipedeck::sim::engine
