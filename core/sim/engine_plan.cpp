// SPDX-License-Identifier: Apache-2.0
#include "core/sim/engine_plan.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/mesh/plan_question.hpp"
#include "core/mesh/rates.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
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

/// When mini-batches leave the first stage. Unlike replicas that nothing synchronises run ahead of one another; but
/// mini-batches come in turn, so that one counts as done after all before it.
std::vector<std::int64_t> completions_of(const engine::EngineInput& run, const engine::Trace& trace) {
  const auto replicas = static_cast<std::size_t>(run.plan.stages.front().replicas());
  std::vector<std::int64_t> done(static_cast<std::size_t>(run.schedule.micro_batches));
  for (std::size_t w = 0; w < run.costs.workers.size(); ++w) {
    const costs::StageReplicaCosts& worker = run.costs.workers[w];
    if (worker.stage != 0) continue;
    for (std::size_t k = 0; k < trace.backward_ends[w].size(); ++k)
      done[static_cast<std::size_t>(worker.replica) + k * replicas] = trace.backward_ends[w][k];
  }
  if (!run.passes && replicas_alike(run.costs)) {
    std::sort(done.begin(), done.end());
    return done;
  }
  for (std::size_t b = 1; b < done.size(); ++b) done[b] = std::max(done[b], done[b - 1]);
  return done;
}

/// Ends before the pipeline drains.
Window steady_state(const engine::EngineInput& run, const engine::Trace& trace) {
  const Plan& plan = run.plan;
  const std::vector<std::int64_t> completions = completions_of(run, trace);
  const auto replicas = static_cast<std::size_t>(plan.stages.front().replicas());
  const auto in_flight = static_cast<std::size_t>(cost::pipedream_versions(plan, StageId(0)));  // K_0, NOAM
  const bool batches = plan.schedule == ScheduleKind::pipedream_2bw;
  const engine::Pace pace = engine::steady_pace(run, trace);
  const std::size_t turn = batches ? static_cast<std::size_t>(plan.micro_batches) : replicas;
  const std::size_t whole = std::lcm(turn, static_cast<std::size_t>(pace.mini_batches));
  const std::size_t middle = completions.size() / 2 - (batches ? 1 : 0);  // the end of a batch
  const std::size_t last = completions.size() - in_flight * replicas - 1;
  const std::size_t period = whole <= last - middle ? whole : turn;
  const std::size_t count = (last - middle) / period * period;
  return {Nanoseconds(completions[middle]), Nanoseconds(completions[middle + count]), middle, count, pace};
}

/// Returns the time of a global batch; `mini_batches` take `time` ns.
Nanoseconds global_batch_time(const Plan& plan, double time, double mini_batches) {
  return round_to_nanoseconds(Seconds(time * 1e-9 * plan.global_batch / (mini_batches * plan.micro_batch)));
}

/// Simulates `micro_batches` of an asynchronous plan, whose lists are closed forms.
void lengthen(Schedule& schedule, int micro_batches) {
  schedule.micro_batches = micro_batches;
  for (DeviceLane& lane : schedule.lanes) {
    AlternatingOrder& order = std::get<AlternatingOrder>(lane.order);
    order.count = std::max(0, (micro_batches - order.first + order.stride - 1) / order.stride);
  }
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

namespace {

EnginePlan engine_plan_of(step::FoldedStep folded) {
  EnginePlan prepared;
  prepared.costs = std::move(folded.costs);
  prepared.channels = std::move(folded.channels);
  prepared.schedule = std::move(folded.schedule);
  prepared.pipeline = std::move(folded.pipeline);
  return prepared;
}

}  // namespace

Result<StepQuestion> question_of(const costs::SimulatorInputs& inputs, const Plan& plan) {
  TRY(mesh::Question question, mesh::question_of(plan, *inputs.profile, inputs.cluster));
  TRY(mesh::Rates rates,
      mesh::rates_of(*inputs.cluster, question.devices(), presets::device_catalogue(), presets::efficiency()));
  question.kept_for_others = static_cast<double>(inputs.conventions.others.count);
  return StepQuestion{std::move(question), std::move(rates)};
}

Result<EnginePlan> prepare(const mesh::Question& question, const mesh::Rates& rates, int samples,
                           std::shared_ptr<mesh::KnownGroups> known) {
  TRY(const step::StepCosts costs, step::costs_of(question, rates, std::move(known)));
  TRY(step::FoldedStep folded, step::fold(question, costs.stages, costs.memory, samples));
  EnginePlan prepared = engine_plan_of(std::move(folded));
  TRY_VOID(check_times(prepared));
  return prepared;
}

costs::SimulatorInputs EnginePlan::result_inputs(const costs::SimulatorInputs& inputs) const {
  costs::SimulatorInputs own = inputs;
  if (!pipeline) return own;
  own.conventions.communication = Bytes();
  own.conventions.network = NetworkModel::ideal;
  own.conventions.overlap = Overlap::layer;
  return own;
}

Result<EnginePlan> prepare(const costs::SimulatorInputs& inputs, const Plan& plan, const std::stop_token& stop) {
  if (has_mesh(plan)) {
    TRY(const StepQuestion step, question_of(inputs, plan));
    TRY(auto view, inputs.view->of(*inputs.cluster));
    return prepare(step.question, step.rates, inputs.profile->micro_batch,
                   std::make_shared<mesh::KnownGroups>(std::move(view)));
  }
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
  TRY_VOID(prepared.lengthen_to_period(inputs, plan, stop));
  return prepared;
}

Result<void> EnginePlan::lengthen_to_period(const costs::SimulatorInputs& inputs, const Plan& plan,
                                            const std::stop_token& stop) {
  constexpr std::int64_t max_operations = 1 << 16;  // of a run that is lengthened: some milliseconds
  constexpr int max_doublings = 3;
  if (schedule.synchronous) return {};
  for (int doublings = 0; doublings < max_doublings; ++doublings) {
    std::int64_t operations = 0;
    for (const DeviceLane& lane : schedule.lanes) operations += 2 * std::int64_t{operation_count(lane.order)};
    if (operations > max_operations) return {};
    engine::EngineInput input = run_of(inputs, plan, false);
    input.shared = nullptr;
    TRY(const auto trace, run_to_end(input, stop));
    if (engine::steady_pace(input, trace).periodic) return {};
    lengthen(schedule, 2 * schedule.micro_batches);
    TRY_VOID(check_times(*this));
    apply_overlap_slowdown(inputs, plan, stop);
  }
  return {};
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
  return {Nanoseconds(0), engine::synchronous_iteration(run.costs, trace), 0, 0, {}};
}

Nanoseconds iteration_of(const engine::EngineInput& run, const Window& window) {
  if (run.schedule.synchronous) return window.end - window.begin;
  return global_batch_time(run.plan, window.pace.time, window.pace.mini_batches);
}

Nanoseconds iteration_within(const engine::EngineInput& run, const engine::Trace& trace, const Window& window) {
  if (run.schedule.synchronous) return engine::synchronous_iteration(run.costs, trace);
  const std::vector<std::int64_t> completions = completions_of(run, trace);
  return global_batch_time(run.plan,
                           static_cast<double>(completions[window.first + window.count] - completions[window.first]),
                           static_cast<double>(window.count));
}

}  // namespace pipedeck::sim
