// SPDX-License-Identifier: Apache-2.0
#include "core/sim/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/cost/lower_bound.hpp"
#include "core/domain/cuts.hpp"
#include "core/domain/validate.hpp"
#include "core/schedule/build.hpp"
#include "core/sim/adaptive_order.hpp"
#include "core/sim/build_timeline.hpp"
#include "core/sim/memory_curve.hpp"
#include "core/sim/period.hpp"
#include "core/sim/simulation_size.hpp"
#include "core/sim/stage_figures.hpp"

namespace pipedeck {

struct Simulator::Shared : SimulatorInputs {};

namespace {

/// What an asynchronous plan reports: completions at stage 0 over a whole multiple of r_0 mini-batches, or of whole
/// batches where these are what weights are updated after, in the second half of the run, stopping K_0 r_0 before its
/// end, where the pipeline drains.
struct SteadyState {
  Nanoseconds begin, end;
  int mini_batches = 1;
};

bool replicas_alike(const PlanCosts& costs) {
  for (std::size_t w = 1; w < costs.workers.size(); ++w)
    if (costs.workers[w].stage == costs.workers[w - 1].stage &&
        costs.workers[w].duration != costs.workers[w - 1].duration)
      return false;
  return true;
}

/// When each mini-batch and all before it are done. Unlike replicas that nothing synchronises run ahead of one another;
/// but mini-batches come in turn, so that the pace is the slowest's.
std::vector<std::int64_t> done_in_turn(const Plan& plan, const Trace& trace) {
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

SteadyState steady_state(const Plan& plan, const PlanCosts& costs, const Trace& trace) {
  const std::vector<std::int64_t> completions = replicas_alike(costs) ? trace.completions : done_in_turn(plan, trace);
  const auto replicas = static_cast<std::size_t>(plan.stages.front().replicas());
  const auto in_flight = static_cast<std::size_t>(pipedream_versions(plan, StageId(0)));  // K_0, NOAM
  const bool batches = plan.schedule == ScheduleKind::pipedream_2bw;
  const std::size_t period = batches ? static_cast<std::size_t>(plan.micro_batches) : replicas;
  const std::size_t first = completions.size() / 2 - (batches ? 1 : 0);  // the end of a batch
  const std::size_t last = completions.size() - in_flight * replicas - 1;
  const std::size_t count = (last - first) / period * period;
  return {Nanoseconds(completions[first]), Nanoseconds(completions[first + count]), static_cast<int>(count)};
}

/// A plan ready to run: its own costs, channels and lists.
struct Prepared {
  PlanCosts costs;
  Channels channels;
  Schedule schedule;
  std::optional<SharedFlows> flows;  ///< of the `shared` network

  EngineInput run_of(const SimulatorInputs& inputs, const Plan& plan, bool record) const {
    return run_of(inputs, plan, schedule, record);
  }
  /// In another order.
  EngineInput run_of(const SimulatorInputs& inputs, const Plan& plan, const Schedule& order, bool record) const {
    return {plan, order, costs, channels, inputs.conventions.overlap, record, flows ? &*flows : nullptr};
  }
};

Result<Prepared> prepare(const SimulatorInputs& inputs, const Plan& plan, const std::stop_token& stop) {
  Prepared prepared;
  prepared.costs = plan_costs(inputs, plan);
  prepared.channels = channels_of(inputs, plan, prepared.costs);
  if (inputs.conventions.network == NetworkModel::shared)
    prepared.flows = shared_flows(inputs, plan, prepared.costs, prepared.channels);
  const auto run_of = [&](const Schedule& order, bool record) { return prepared.run_of(inputs, plan, order, record); };
  Result<Schedule> schedule = plan.schedule == ScheduleKind::adaptive
                                  ? adaptive_order(inputs, plan, prepared.costs, prepared.channels, run_of, stop)
                                  : build_schedule(plan, stage_figures(inputs, prepared.costs, prepared.channels));
  if (!schedule) return tl::unexpected(schedule.error());
  prepared.schedule = std::move(*schedule);
  // The closed forms cannot deadlock by themselves; what a user wrote may.
  if (plan.operations || plan.warmup_counts)
    if (Result<void> proof = prove_deadlock_free(prepared.schedule, plan); !proof) return tl::unexpected(proof.error());
  return prepared;
}

Result<Trace> run_to_end(const EngineInput& input, const std::stop_token& stop) {
  Trace trace = run_engine(input, stop);
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "the simulation was stopped");
  if (trace.complete) return trace;
  if (Result<void> proof = prove_deadlock_free(input.schedule, input.plan); !proof)
    return tl::unexpected(proof.error());
  return fail(ErrorCode::internal, "the simulation stopped before the end of a schedule that cannot deadlock");
}

Seconds asynchronous_iteration(const Plan& plan, const SteadyState& steady) {
  const double window = to_seconds(steady.end - steady.begin).count;
  return Seconds(window * plan.global_batch / (static_cast<double>(steady.mini_batches) * plan.micro_batch));
}

/// Scales every part of a lane's time from the steady window to one iteration; what rounding leaves goes to the drain.
LaneTimes scaled(const LaneTimes& lane, double factor, Nanoseconds iteration) {
  const auto scale = [&](Nanoseconds time) {
    return Nanoseconds(static_cast<std::int64_t>(std::floor(static_cast<double>(time.count) * factor)));
  };
  LaneTimes out{scale(lane.busy),
                {scale(lane.idle.warmup),
                 {},
                 scale(lane.idle.waiting_activation),
                 scale(lane.idle.waiting_gradient),
                 scale(lane.idle.waiting_all_reduce)}};
  out.idle.drain = iteration - out.busy - out.idle.warmup - out.idle.waiting_activation - out.idle.waiting_gradient -
                   out.idle.waiting_all_reduce;
  return out;
}

/// Turns a trace into the verdict.
class Verdict {
 public:
  Verdict(const SimulatorInputs& inputs, const EngineInput& run, const Trace& trace, std::stop_token stop)
      : inputs_(inputs), run_(run), trace_(trace), stop_(std::move(stop)) {
    verdict_.network = inputs.conventions.network;
    verdict_.overlap = inputs.conventions.overlap;
    verdict_.collectives = inputs.conventions.collectives;
    verdict_.timeline = build_timeline(run, trace);
    if (run.schedule.synchronous) {
      verdict_.iteration = synchronous_iteration(run.costs, trace);
      verdict_.longest_span = longest_span(run.costs, trace);
      window_ = {Nanoseconds(0), verdict_.iteration, run.plan.micro_batches};
    } else {
      window_ = steady_state(run.plan, run.costs, trace);
      verdict_.iteration = verdict_.longest_span = round_to_nanoseconds(asynchronous_iteration(run.plan, window_));
    }
  }

  Result<Simulation> run() {
    add_devices();
    if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "the simulation was stopped");
    add_busy();
    const double iteration = to_seconds(verdict_.iteration).count;
    const auto span = static_cast<double>((window_.end - window_.begin).count);
    verdict_.samples_per_second = iteration > 0 ? run_.plan.global_batch / iteration : 0;
    if (span > 0)
      verdict_.communication_fraction =
          static_cast<double>(exposed_communication(verdict_.timeline, window_.begin, window_.end).count) / span;
    return std::move(verdict_);
  }

 private:
  void add_devices() {
    const std::vector<std::vector<std::size_t>> resources = resources_of_lanes(run_);
    for (std::size_t l = 0; l < run_.costs.lanes.size() && !stop_.stop_requested(); ++l) {
      const LaneCosts& lane = run_.costs.lanes[l];
      const bool alike = std::all_of(lane.workers.begin(), lane.workers.end(), [&](std::size_t w) {
        return run_.costs.stages[static_cast<std::size_t>(run_.costs.workers[w].stage)].held.size() == 1;
      });
      DeviceVerdict verdict;
      for (std::size_t rank = 0; rank < lane.devices.size(); ++rank) {
        if (rank == 0 || !alike) verdict = memory_of(inputs_, run_, trace_, l, rank, resources[l]);
        const DeviceId device = lane.devices[rank];
        verdict.device = device;
        verdict.capacity = inputs_.network.type(device).memory;
        verdict_.fits = verdict_.fits && verdict.peak <= verdict.capacity;
        verdict_.devices.push_back(verdict);
        synchronised_[device] = synchronised(lane);
      }
    }
    std::sort(verdict_.devices.begin(), verdict_.devices.end(),
              [](const DeviceVerdict& a, const DeviceVerdict& b) { return a.device < b.device; });
  }

  /// End of the last all-reduce of what is on the lane; asynchronous lanes do not end with one.
  Nanoseconds synchronised(const LaneCosts& lane) const {
    std::int64_t last = 0;
    for (const std::size_t w : lane.workers)
      if (run_.schedule.synchronous)
        last = std::max(last, trace_.synchronised[static_cast<std::size_t>(run_.costs.workers[w].stage)]);
    return Nanoseconds(last);
  }

  /// Compute lanes come first in the timeline, in device order, as the devices do.
  void add_busy() {
    double busy = 0;
    for (std::size_t d = 0; d < verdict_.devices.size(); ++d) {
      const TimelineLane& lane = verdict_.timeline.lanes[d];
      LaneTimes times = lane_times(verdict_.timeline, lane, synchronised_[lane.device], window_.begin, window_.end);
      if (!run_.schedule.synchronous)
        times = scaled(
            times,
            static_cast<double>(verdict_.iteration.count) / static_cast<double>((window_.end - window_.begin).count),
            verdict_.iteration);
      verdict_.devices[d].busy = times.busy;
      verdict_.devices[d].idle = times.idle;
      verdict_.idle += times.idle;
      busy += static_cast<double>(times.busy.count);
    }
    const double all = static_cast<double>(verdict_.iteration.count) * static_cast<double>(verdict_.devices.size());
    if (all > 0) verdict_.bubble_fraction = 1 - busy / all;
  }

  const SimulatorInputs& inputs_;
  const EngineInput& run_;
  const Trace& trace_;
  std::stop_token stop_;
  SteadyState window_;
  std::map<DeviceId, Nanoseconds> synchronised_;
  Simulation verdict_;
};

}  // namespace

Result<Simulator> Simulator::of(std::shared_ptr<const Profile> profile, std::shared_ptr<const Cluster> cluster,
                                const Conventions& conventions) {
  Result<Network> network = Network::of(*cluster);
  if (!network) return tl::unexpected(network.error());
  std::vector<LayerId> order;
  for (std::size_t i = 0; i < profile->layers.size(); ++i) order.push_back(LayerId(i));
  std::vector<Bytes> cuts = cut_bytes(*profile, order);
  return Simulator(std::make_shared<const Shared>(Shared{
      {std::move(profile), std::move(cluster), conventions, std::move(*network), std::move(order), std::move(cuts)}}));
}

Result<Simulation> Simulator::run(const Plan& plan, std::stop_token stop) const {
  if (Result<void> small = check_size(plan, true); !small) return tl::unexpected(small.error());
  const Result<Prepared> ready = prepare(*shared_, plan, stop);
  if (!ready) return tl::unexpected(ready.error());
  const EngineInput input = ready->run_of(*shared_, plan, true);
  const Result<Trace> trace = run_to_end(input, stop);
  if (!trace) return tl::unexpected(trace.error());
  return Verdict(*shared_, input, *trace, std::move(stop)).run();
}

Result<Seconds> Simulator::iteration_time(const Plan& plan, std::stop_token stop) const {
  if (Result<void> small = check_size(plan, false); !small) return tl::unexpected(small.error());
  const Result<Prepared> ready = prepare(*shared_, plan, stop);
  if (!ready) return tl::unexpected(ready.error());
  const EngineInput input = ready->run_of(*shared_, plan, false);
  const Result<Trace> trace = run_to_end(input, stop);
  if (!trace) return tl::unexpected(trace.error());
  if (plan.synchronous()) return to_seconds(synchronous_iteration(ready->costs, *trace));
  return to_seconds(round_to_nanoseconds(asynchronous_iteration(plan, steady_state(plan, ready->costs, *trace))));
}

Result<Nanoseconds> Simulator::period(const Plan& plan, std::stop_token stop) const {
  if (!plan.synchronous())
    return iteration_time(plan, std::move(stop)).map([](Seconds time) { return round_to_nanoseconds(time); });
  if (Result<void> small = check_size(plan, false); !small) return tl::unexpected(small.error());
  const Result<Prepared> ready = prepare(*shared_, plan, stop);
  if (!ready) return tl::unexpected(ready.error());
  return period_of(ready->run_of(*shared_, plan, false), stop);
}

Result<Schedule> Simulator::schedule(const Plan& plan) const {
  Result<Prepared> ready = prepare(*shared_, plan, {});
  if (!ready) return tl::unexpected(ready.error());
  return std::move(ready->schedule);
}

Simulator Simulator::with_overlap(Overlap overlap) const {
  Shared other = *shared_;
  other.conventions.overlap = overlap;
  return Simulator(std::make_shared<const Shared>(std::move(other)));
}

std::function<Result<Seconds>(const Plan&, std::optional<Overlap>)> score_of(const Simulator& simulator,
                                                                             std::stop_token stop) {
  return [stop = std::move(stop), own = simulator, none = simulator.with_overlap(Overlap::none),
          layer = simulator.with_overlap(Overlap::layer)](const Plan& plan, std::optional<Overlap> overlap) {
    if (!overlap) return own.iteration_time(plan, stop);
    return (*overlap == Overlap::none ? none : layer).iteration_time(plan, stop);
  };
}

std::function<Result<bool>(const Plan&)> fits_of(const Simulator& simulator, std::stop_token stop) {
  return [simulator, stop = std::move(stop)](const Plan& plan) -> Result<bool> {
    const auto simulation = simulator.run(plan, stop);
    if (!simulation) return tl::unexpected(simulation.error());
    return simulation->fits;
  };
}

Result<Simulation> simulate(const Problem& problem, const Plan& plan, std::stop_token stop) {
  if (Result<void> valid = validate(plan, *problem.profile, *problem.cluster); !valid)
    return tl::unexpected(valid.error());
  const Result<Simulator> simulator = Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  if (!simulator) return tl::unexpected(simulator.error());
  return simulator->run(plan, std::move(stop));
}

Plan with_prediction(Plan plan, const Simulation& simulation, Seconds lower_bound) {
  Predicted predicted;
  predicted.iteration = to_seconds(simulation.iteration);
  predicted.samples_per_second = simulation.samples_per_second;
  predicted.bubble_fraction = simulation.bubble_fraction;
  for (const DeviceVerdict& device : simulation.devices) predicted.peak_memory.push_back(device.peak);
  predicted.lower_bound = bound_of_simulation(plan, lower_bound, predicted.iteration);
  predicted.fits = simulation.fits;
  predicted.network = simulation.network;
  predicted.overlap = simulation.overlap;
  predicted.collectives = simulation.collectives;
  plan.predicted = std::move(predicted);
  return plan;
}

}  // namespace pipedeck
