// SPDX-License-Identifier: Apache-2.0
#include "core/sim/adaptive_order.hpp"

#include "core/schedule/adaptive.hpp"
#include "core/sim/costs/stage_figures.hpp"
#include "core/sim/engine/overlap_slowdown.hpp"
#include "core/sim/memory/curve.hpp"

namespace pipedeck::sim {
namespace {

bool fits(const costs::SimulatorInputs& inputs, const engine::EngineInput& run, const engine::Trace& trace) {
  const std::vector<std::vector<std::size_t>> resources = memory::resources_of_lanes(run);
  for (std::size_t l = 0; l < run.costs.lanes.size(); ++l) {
    const costs::LaneCosts& lane = run.costs.lanes[l];
    for (std::size_t rank = 0; rank < lane.devices.size(); ++rank)
      if (memory::memory_of(inputs, run, trace, l, rank, resources[l]).peak >
          inputs.network.type(lane.devices[rank]).memory)
        return false;
  }
  return true;
}

}  // namespace

Result<Schedule> adaptive_order(const costs::SimulatorInputs& inputs, const Plan& plan, const costs::PlanCosts& costs,
                                const costs::Channels& channels, const RunOfOrder& run_of,
                                const std::stop_token& stop) {
  const double slowdown = inputs.conventions.calibration.overlap_slowdown;
  schedule::OrderEvaluator judge;
  judge.time = [&](const Schedule& schedule) -> std::optional<Nanoseconds> {
    const engine::Trace trace = engine::run_slowed(run_of(schedule, false), slowdown, stop);
    if (!trace.complete) return std::nullopt;
    return engine::synchronous_iteration(costs, trace);
  };
  judge.fits = [&](const Schedule& schedule) {
    const engine::EngineInput input = run_of(schedule, true);
    return fits(inputs, input, engine::run_slowed(input, slowdown, stop));
  };
  return schedule::adaptive(plan, costs::stage_figures(inputs, costs, channels), judge, stop);
}

}  // namespace pipedeck::sim
