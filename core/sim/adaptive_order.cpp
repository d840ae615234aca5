// SPDX-License-Identifier: Apache-2.0
#include "core/sim/adaptive_order.hpp"

#include "core/schedule/adaptive.hpp"
#include "core/sim/memory_curve.hpp"
#include "core/sim/overlap_slowdown.hpp"
#include "core/sim/stage_figures.hpp"

namespace pipedeck {
namespace {

bool fits(const SimulatorInputs& inputs, const EngineInput& run, const Trace& trace) {
  const std::vector<std::vector<std::size_t>> resources = resources_of_lanes(run);
  for (std::size_t l = 0; l < run.costs.lanes.size(); ++l) {
    const LaneCosts& lane = run.costs.lanes[l];
    for (std::size_t rank = 0; rank < lane.devices.size(); ++rank)
      if (memory_of(inputs, run, trace, l, rank, resources[l]).peak > inputs.network.type(lane.devices[rank]).memory)
        return false;
  }
  return true;
}

}  // namespace

Result<Schedule> adaptive_order(const SimulatorInputs& inputs, const Plan& plan, const PlanCosts& costs,
                                const Channels& channels, const RunOfOrder& run_of, const std::stop_token& stop) {
  const double slowdown = inputs.conventions.calibration.overlap_slowdown;
  OrderJudge judge;
  judge.time = [&](const Schedule& schedule) -> std::optional<Nanoseconds> {
    const Trace trace = run_slowed(run_of(schedule, false), slowdown, stop);
    if (!trace.complete) return std::nullopt;
    return synchronous_iteration(costs, trace);
  };
  judge.fits = [&](const Schedule& schedule) {
    const EngineInput input = run_of(schedule, true);
    return fits(inputs, input, run_slowed(input, slowdown, stop));
  };
  return adaptive(plan, stage_figures(inputs, costs, channels), judge, stop);
}

}  // namespace pipedeck
