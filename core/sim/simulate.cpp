// SPDX-License-Identifier: Apache-2.0
#include "core/sim/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>

#include "core/base/parallel_for.hpp"
#include "core/cost/lower_bound.hpp"
#include "core/plan/cuts.hpp"
#include "core/plan/validate.hpp"
#include "core/sim/build_timeline.hpp"
#include "core/sim/engine/joined_waits.hpp"
#include "core/sim/engine/period.hpp"
#include "core/sim/engine_plan.hpp"
#include "core/sim/memory/curve.hpp"
#include "core/sim/memory/identical_lanes.hpp"
#include "core/sim/memory/upper.hpp"
#include "core/sim/simulation_size.hpp"

namespace pipedeck::sim {

struct Simulator::Shared : costs::SimulatorInputs {};

namespace {

/// Scales every part of a lane's time from the steady window to one iteration; what rounding leaves goes to the drain.
LaneTimes scaled(const LaneTimes& lane, double factor, Nanoseconds iteration) {
  const auto scale = [&](Nanoseconds time) {
    return Nanoseconds(saturating::whole(std::floor(static_cast<double>(time.count) * factor)));
  };
  LaneTimes out{scale(lane.busy),
                {scale(lane.idle.warmup),
                 {},
                 scale(lane.idle.waiting_activation),
                 scale(lane.idle.waiting_gradient),
                 scale(lane.idle.waiting_all_reduce)},
                {}};
  for (std::size_t i = 0; i < out.parts.times.size(); ++i) out.parts.times[i] = scale(lane.parts.times[i]);
  out.parts[TimePart::bubble] += iteration - out.parts.total();
  out.idle.drain = iteration - out.busy - out.idle.warmup - out.idle.waiting_activation - out.idle.waiting_gradient -
                   out.idle.waiting_all_reduce;
  return out;
}

/// Returns an entry per stage on a lane; none without tensor parallelism.
std::vector<TensorParallelTimes> tensor_parallel_of(const engine::EngineInput& run, const costs::LaneCosts& lane) {
  std::vector<TensorParallelTimes> all;
  if (lane.devices.size() < 2) return all;
  for (const std::size_t w : lane.workers) {
    const costs::StageReplicaCosts& worker = run.costs.workers[w];
    TensorParallelTimes& own = all.emplace_back();
    own.stage = StageId(std::int32_t{worker.stage});
    for (std::size_t kind = 0; kind < own.times.size(); ++kind)
      own.times[kind] = Nanoseconds(worker.tensor_parallel[kind]);
  }
  return all;
}

/// When gradients of the stages on a lane are all-reduced.
std::vector<engine::Interval> reductions_of(const engine::EngineInput& run, const engine::Trace& trace,
                                            const costs::LaneCosts& lane) {
  std::vector<engine::Interval> all;
  for (const std::size_t w : lane.workers)
    for (const engine::ReductionRow& row : trace.reductions[static_cast<std::size_t>(run.costs.workers[w].stage)])
      if (row.duration > 0) all.push_back({row.start, row.start + row.duration});
  return engine::merged(std::move(all));
}

/// Devices of small plans are looked at before a thread has started.
int threads_for(std::size_t operations) {
  constexpr std::size_t worth_a_thread = 20'000;
  constexpr unsigned most = 4;
  if (operations < worth_a_thread) return 1;
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, most));
}

/// Turns a trace into the verdict.
class Verdict {
 public:
  Verdict(const costs::SimulatorInputs& inputs, const engine::EngineInput& run, const engine::Trace& trace,
          const SimulationDetail& detail, std::stop_token stop)
      : inputs_(inputs),
        run_(run),
        trace_(trace),
        detail_(detail),
        stop_(std::move(stop)),
        window_(window_of(run, trace)) {
    verdict_.network = inputs.conventions.network;
    verdict_.overlap = inputs.conventions.overlap;
    verdict_.collectives = inputs.conventions.collectives;
    verdict_.fragmentation = inputs.conventions.fragmentation;
    verdict_.timeline = build_timeline(run, trace);
    verdict_.iteration = iteration_of(run, window_);
    verdict_.longest_span = run.schedule.synchronous ? engine::longest_span(run.costs, trace) : verdict_.iteration;
  }

  Result<Simulation> run() {
    collect_lanes();
    if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "the simulation was stopped");
    add_devices();
    add_busy();
    const double iteration = to_seconds(verdict_.iteration).count;
    verdict_.samples_per_second = iteration > 0 ? run_.plan.global_batch / iteration : 0;
    return std::move(verdict_);
  }

 private:
  /// Long and independent computations, run side by side.
  void collect_lanes() {
    of_lanes_.resize(run_.costs.lanes.size());
    leaders_ = memory::representative_lanes(run_, trace_);
    std::vector<std::size_t> looked_at;
    for (std::size_t l = 0; l < leaders_.size(); ++l)
      if (leaders_[l] == l) looked_at.push_back(l);
    const std::vector<std::vector<std::size_t>> resources = memory::resources_of_lanes(run_);
    const memory::UpperFigures upper = memory::upper_figures(run_, trace_);
    parallel_for(looked_at.size() + 2, threads_for(verdict_.timeline.size()), [&](std::size_t i) {
      if (i == 0) return add_communication();
      if (i == 1) return add_inputs();
      if (!stop_.stop_requested()) look_at(looked_at[i - 2], resources[looked_at[i - 2]], upper);
    });
  }

  void add_communication() {
    const auto span = static_cast<double>((window_.end - window_.begin).count);
    if (span > 0)
      verdict_.communication_fraction =
          static_cast<double>(exposed_communication(verdict_.timeline, window_.begin, window_.end).count) / span;
  }

  void add_inputs() {
    const engine::InputTimes times(run_, trace_);
    for (std::size_t l = 0; l < run_.costs.lanes.size(); ++l) inputs_of_lanes_.push_back(times.of_lane(l));
  }

  /// Memory of the lane's first device, or of all where they differ.
  void look_at(std::size_t l, const std::vector<std::size_t>& resources, const memory::UpperFigures& upper) {
    const costs::LaneCosts& lane = run_.costs.lanes[l];
    const bool alike = std::all_of(lane.workers.begin(), lane.workers.end(), [&](std::size_t w) {
      return run_.costs.stages[static_cast<std::size_t>(run_.costs.workers[w].stage)].held.size() == 1;
    });
    const Bytes most = memory::max_transient_bytes(inputs_, run_, trace_, upper, l);
    for (std::size_t rank = 0; rank < (alike ? 1 : lane.devices.size()); ++rank) {
      SimulatedDevice verdict = memory::memory_of(inputs_, run_, trace_, l, rank, resources, detail_.item_curves);
      const MemoryBreakdown held = memory::lane_persistent_memory(inputs_, run_, l, rank);
      verdict.peak_upper_bound =
          std::max(verdict.peak, memory::with_fragmentation(held, most, inputs_.conventions.fragmentation));
      of_lanes_[l].push_back(std::move(verdict));
    }
  }

  void add_devices() {
    for (std::size_t l = 0; l < run_.costs.lanes.size(); ++l) {
      const costs::LaneCosts& lane = run_.costs.lanes[l];
      const std::vector<SimulatedDevice>& known = of_lanes_[leaders_[l]];
      for (std::size_t rank = 0; rank < lane.devices.size(); ++rank) {
        SimulatedDevice verdict = known[std::min(rank, known.size() - 1)];
        verdict.device = lane.devices[rank];
        verdict.capacity = inputs_.network.type(verdict.device).memory;
        verdict_.fits = verdict_.fits && verdict.peak <= verdict.capacity;
        lanes_[verdict.device] = {l, synchronised(lane)};
        verdict_.devices.push_back(std::move(verdict));
      }
    }
    std::sort(verdict_.devices.begin(), verdict_.devices.end(),
              [](const SimulatedDevice& a, const SimulatedDevice& b) { return a.device < b.device; });
  }

  /// End of the last all-reduce of what is on the lane; asynchronous lanes do not end with one.
  Nanoseconds synchronised(const costs::LaneCosts& lane) const {
    std::int64_t last = 0;
    for (const std::size_t w : lane.workers)
      if (run_.schedule.synchronous)
        last = std::max(last, trace_.synchronised[static_cast<std::size_t>(run_.costs.workers[w].stage)]);
    return Nanoseconds(last);
  }

  /// Compute lanes come first in the timeline, in device order, as the devices do.
  void add_busy() {
    const std::vector<std::vector<std::size_t>> of_second = engine::waits_of_second(run_, trace_);
    const std::size_t lanes = run_.costs.lanes.size();
    std::vector<std::vector<TensorParallelTimes>> tensor_parallel(lanes);
    std::vector<std::vector<engine::Interval>> reductions(lanes);
    for (std::size_t l = 0; l < lanes; ++l) {
      tensor_parallel[l] = tensor_parallel_of(run_, run_.costs.lanes[l]);
      reductions[l] = reductions_of(run_, trace_, run_.costs.lanes[l]);
    }
    double busy = 0;
    for (std::size_t d = 0; d < verdict_.devices.size(); ++d) {
      const TimelineLane& lane = verdict_.timeline.lanes[d];
      const auto& [number, synchronised] = lanes_[lane.device];
      LaneTimes times = lane_times(verdict_.timeline, lane,
                                   {run_.schedule.synchronous, synchronised, of_second[number],
                                    inputs_of_lanes_[number], reductions[number], tensor_parallel[number]},
                                   window_.begin, window_.end);
      if (!run_.schedule.synchronous)
        times = scaled(
            times,
            static_cast<double>(verdict_.iteration.count) / static_cast<double>((window_.end - window_.begin).count),
            verdict_.iteration);
      verdict_.devices[d].busy = times.busy;
      verdict_.devices[d].idle = times.idle;
      verdict_.devices[d].parts = times.parts;
      verdict_.devices[d].tensor_parallel = tensor_parallel[number];
      verdict_.idle += times.idle;
      busy += static_cast<double>(times.busy.count);
    }
    const double all = static_cast<double>(verdict_.iteration.count) * static_cast<double>(verdict_.devices.size());
    if (all > 0) verdict_.bubble_fraction = std::max(0.0, 1 - busy / all);  // rounding aside, never negative
    verdict_.parts = mean_parts(verdict_.devices, verdict_.iteration);
  }

  const costs::SimulatorInputs& inputs_;
  const engine::EngineInput& run_;
  const engine::Trace& trace_;
  SimulationDetail detail_;
  std::stop_token stop_;
  Window window_;
  struct LaneResult {
    std::size_t number = 0;
    Nanoseconds synchronised;
  };
  std::map<DeviceId, LaneResult> lanes_;
  std::vector<std::vector<engine::OnTheWay>> inputs_of_lanes_;
  std::vector<std::size_t> leaders_;                    // by lane: the one that is looked at for it
  std::vector<std::vector<SimulatedDevice>> of_lanes_;  // memory by lane and rank; one where all ranks hold the same
  Simulation verdict_;
};

Result<void> check_size_of(const costs::SimulatorInputs& inputs, const Plan& plan, bool verdict) {
  return check_size(plan, verdict, max_simulation, slowed_bytes(inputs.conventions.calibration, verdict));
}

}  // namespace

Result<Simulator> Simulator::of(std::shared_ptr<const Profile> profile, std::shared_ptr<const Cluster> cluster,
                                const SimulationOptions& conventions) {
  Result<cost::Network> network = cost::Network::of(*cluster, conventions.calibration);
  if (!network) return tl::unexpected(network.error());
  std::vector<LayerId> order;
  for (std::size_t i = 0; i < profile->layers.size(); ++i) order.push_back(LayerId(i));
  std::vector<Bytes> cuts = plan::boundary_bytes(*profile, order);
  return Simulator(std::make_shared<const Shared>(Shared{
      {std::move(profile), std::move(cluster), conventions, std::move(*network), std::move(order), std::move(cuts)}}));
}

Result<Simulation> Simulator::run(const Plan& plan, std::stop_token stop, const SimulationDetail& detail) const {
  if (Result<void> small = check_size_of(*shared_, plan, true); !small) return tl::unexpected(small.error());
  const Result<EnginePlan> ready = prepare(*shared_, plan, stop);
  if (!ready) return tl::unexpected(ready.error());
  const engine::EngineInput input = ready->run_of(*shared_, plan, true);
  const Result<engine::Trace> trace = run_to_end(input, stop);
  if (!trace) return tl::unexpected(trace.error());
  return Verdict(*shared_, input, *trace, detail, std::move(stop)).run();
}

Result<Seconds> Simulator::iteration_time(const Plan& plan, std::stop_token stop) const {
  if (Result<void> small = check_size_of(*shared_, plan, false); !small) return tl::unexpected(small.error());
  const Result<EnginePlan> ready = prepare(*shared_, plan, stop);
  if (!ready) return tl::unexpected(ready.error());
  const engine::EngineInput input = ready->run_of(*shared_, plan, false);
  const Result<engine::Trace> trace = run_to_end(input, stop);
  if (!trace) return tl::unexpected(trace.error());
  return to_seconds(iteration_of(input, window_of(input, *trace)));
}

Result<Nanoseconds> Simulator::period(const Plan& plan, std::stop_token stop) const {
  if (!plan.synchronous())
    return iteration_time(plan, std::move(stop)).map([](Seconds time) { return round_to_nanoseconds(time); });
  if (Result<void> small = check_size_of(*shared_, plan, false); !small) return tl::unexpected(small.error());
  const Result<EnginePlan> ready = prepare(*shared_, plan, stop);
  if (!ready) return tl::unexpected(ready.error());
  return engine::steady_state_period(ready->run_of(*shared_, plan, false), stop);
}

const costs::SimulatorInputs& Simulator::inputs() const { return *shared_; }

Result<Schedule> Simulator::schedule(const Plan& plan) const {
  Result<EnginePlan> ready = prepare(*shared_, plan, {});
  if (!ready) return tl::unexpected(ready.error());
  return std::move(ready->schedule);
}

Simulator Simulator::with_overlap(Overlap overlap) const {
  Shared other = *shared_;
  other.conventions.overlap = overlap;
  return Simulator(std::make_shared<const Shared>(std::move(other)));
}

std::function<Result<Seconds>(const Plan&, std::optional<Overlap>, std::stop_token)> score_of(
    const Simulator& simulator) {
  return
      [own = simulator, none = simulator.with_overlap(Overlap::none), layer = simulator.with_overlap(Overlap::layer)](
          const Plan& plan, std::optional<Overlap> overlap, std::stop_token stop) {
        if (!overlap) return own.iteration_time(plan, std::move(stop));
        return (*overlap == Overlap::none ? none : layer).iteration_time(plan, std::move(stop));
      };
}

std::function<Result<bool>(const Plan&, std::stop_token)> fits_of(const Simulator& simulator) {
  return [simulator](const Plan& plan, std::stop_token stop) -> Result<bool> {
    TRY(const auto simulation, simulator.run(plan, std::move(stop)));
    return simulation.fits;
  };
}

Result<Simulation> simulate(const Problem& problem, const Plan& plan, std::stop_token stop) {
  if (Result<void> valid = plan::validate(plan, *problem.profile, *problem.cluster); !valid)
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
  for (const SimulatedDevice& device : simulation.devices) predicted.peak_memory.push_back(device.peak);
  predicted.lower_bound = cost::simulation_lower_bound(plan, lower_bound, predicted.iteration);
  predicted.fits = simulation.fits;
  predicted.network = simulation.network;
  predicted.overlap = simulation.overlap;
  predicted.collectives = simulation.collectives;
  plan.predicted = std::move(predicted);
  return plan;
}

}  // namespace pipedeck::sim
