// SPDX-License-Identifier: Apache-2.0
#include "core/sim/engine_plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/schedule/adaptive.hpp"
#include "core/schedule/build.hpp"
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

namespace {

bool replicas_alike(const costs::PlanCosts& costs) {
  for (std::size_t w = 1; w < costs.workers.size(); ++w)
    if (costs.workers[w].stage == costs.workers[w - 1].stage &&
        costs.workers[w].duration != costs.workers[w - 1].duration)
      return false;
  return true;
}

/// When each mini-batch and all before it are done. Unlike replicas that nothing synchronises run ahead of one another;
/// but mini-batches come in turn, so that the pace is the slowest's.
std::vector<std::int64_t> in_order_completions(const Plan& plan, const engine::Trace& trace) {
  const auto replicas = static_cast<std::size_t>(plan.stages.front().replicas());
  std::vector<std::size_t> next(replicas);
  for (std::size_t r = 0; r < replicas; ++r) next[r] = r;
  std::vector<std::int64_t> done(trace.completions.size());
  for (std::size_t i = 0; i < done.size(); ++i) {
    std::size_t& mini_batch = next[static_cast<std::size_t>(trace.completed_by[i])];
    done[mini_batch] = trace.completions[i];
    mini_batch += replicas;
  }
  for (std::size_t b = 1; b < done.size(); ++b) done[b] = std::max(done[b], done[b - 1]);
  return done;
}

Window steady_state(const engine::EngineInput& run, const engine::Trace& trace) {
  const Plan& plan = run.plan;
  const bool alike = !run.passes && replicas_alike(run.costs);
  const std::vector<std::int64_t> completions = alike ? trace.completions : in_order_completions(plan, trace);
  const auto replicas = static_cast<std::size_t>(plan.stages.front().replicas());
  const auto in_flight = static_cast<std::size_t>(cost::pipedream_versions(plan, StageId(0)));  // K_0, NOAM
  const bool batches = plan.schedule == ScheduleKind::pipedream_2bw;
  const std::size_t period = batches ? static_cast<std::size_t>(plan.micro_batches) : replicas;
  const std::size_t first = completions.size() / 2 - (batches ? 1 : 0);  // the end of a batch
  const std::size_t last = completions.size() - in_flight * replicas - 1;
  const std::size_t count = (last - first) / period * period;
  return {Nanoseconds(completions[first]), Nanoseconds(completions[first + count]), static_cast<int>(count)};
}

/// Refuses a plan whose operations and transfers, one after another, would take longer than the clock can count.
Result<void> check_times(const EnginePlan& prepared) {
  double passes = 0, rounds = 0;  // ns
  for (const costs::StageReplicaCosts& worker : prepared.costs.workers) {
    for (const std::int64_t duration : worker.duration) passes += static_cast<double>(duration);
    rounds += static_cast<double>(std::ranges::max(worker.optimizer));
  }
  for (const costs::Channel& channel : prepared.channels.all) passes += static_cast<double>(channel.duration);
  for (const costs::StageCosts& stage : prepared.costs.stages)
    for (const costs::Reduction& reduction : stage.reductions) rounds += static_cast<double>(reduction.duration);
  const Schedule& schedule = prepared.schedule;
  const double all = schedule.micro_batches * passes + (schedule.synchronous ? 1 : schedule.micro_batches) * rounds;
  constexpr double most = 0x1p60;
  if (all <= most) return {};
  return fail(ErrorCode::bad_input,
              fmt::format("found operations and transfers of {:.3g} s in all, expected at most {:.3g} s: the times or "
                          "bytes of the profile are too large, or the links too slow",
                          all / 1e9, most / 1e9));
}

}  // namespace

Result<EnginePlan> prepare(const costs::SimulatorInputs& inputs, const Plan& plan, const std::stop_token& stop) {
  EnginePlan prepared;
  prepared.costs = costs::plan_costs(inputs, plan);
  prepared.channels = costs::channels_of(inputs, plan, prepared.costs);
  if (inputs.conventions.network == NetworkModel::shared)
    prepared.flows = network::shared_flows(inputs, plan, prepared.costs, prepared.channels);
  const auto run_of = [&](const Schedule& order, bool record) {
    return prepared.baseline_input(inputs, plan, order, record);
  };
  Result<Schedule> schedule =
      plan.schedule == ScheduleKind::adaptive
          ? adaptive_order(inputs, plan, prepared.costs, prepared.channels, run_of, stop)
          : schedule::build_schedule(plan, costs::stage_figures(inputs, prepared.costs, prepared.channels));
  if (!schedule) return tl::unexpected(schedule.error());
  prepared.schedule = std::move(*schedule);
  TRY_VOID(check_times(prepared));
  // The closed forms cannot deadlock by themselves; what a user wrote may.
  if (plan.operations || plan.warmup_counts)
    if (Result<void> proof = schedule::check_deadlock_free(prepared.schedule, plan); !proof)
      return tl::unexpected(proof.error());
  prepared.apply_overlap_slowdown(inputs, plan, stop);
  return prepared;
}

void EnginePlan::apply_overlap_slowdown(const costs::SimulatorInputs& inputs, const Plan& plan,
                                        const std::stop_token& stop) {
  const double slowdown = inputs.conventions.calibration.overlap_slowdown;
  if (slowdown != 1) passes = engine::overlap_durations(baseline_input(inputs, plan, schedule, true), slowdown, stop);
}

Result<engine::Trace> run_to_end(const engine::EngineInput& run, const std::stop_token& stop) {
  engine::Trace trace = engine::run_engine(run, stop);
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "the simulation was stopped");
  if (trace.complete) return trace;
  if (Result<void> proof = schedule::check_deadlock_free(run.schedule, run.plan); !proof)
    return tl::unexpected(proof.error());
  return fail(ErrorCode::internal, "the simulation stopped before the end of a schedule that cannot deadlock");
}

Window window_of(const engine::EngineInput& run, const engine::Trace& trace) {
  if (!run.schedule.synchronous) return steady_state(run, trace);
  return {Nanoseconds(0), engine::synchronous_iteration(run.costs, trace), run.plan.micro_batches};
}

Nanoseconds iteration_of(const engine::EngineInput& run, const Window& window) {
  if (run.schedule.synchronous) return window.end - window.begin;
  const double span = to_seconds(window.end - window.begin).count;
  const double samples = static_cast<double>(window.micro_batches) * run.plan.micro_batch;
  return round_to_nanoseconds(Seconds(span * run.plan.global_batch / samples));
}

}  // namespace pipedeck::sim
