// SPDX-License-Identifier: Apache-2.0
#include "core/sim/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>
#include <utility>

#include "core/base/parallel_for.hpp"
#include "core/sim/build_timeline.hpp"
#include "core/sim/engine/joined_waits.hpp"
#include "core/sim/engine/period.hpp"
#include "core/sim/engine_plan.hpp"
#include "core/sim/memory/curve.hpp"
#include "core/sim/memory/identical_lanes.hpp"
#include "core/sim/memory/upper.hpp"

namespace pipedeck::sim {
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
  if (lane.devices.size() < 2 && lane.twins.empty()) return all;
  for (const std::size_t w : lane.workers) {
    const costs::StageReplicaCosts& worker = run.costs.workers[w];
    TensorParallelTimes& own = all.emplace_back();
    own.stage = StageId(std::int32_t{worker.stage});
    for (std::size_t kind = 0; kind < own.times.size(); ++kind)
      own.times[kind] = Nanoseconds(worker.tensor_parallel[kind]);
  }
  return all;
}

/// Divides the exposed communication inside passes by its dimension.
TimeBreakdown by_dimension(TimeBreakdown parts, const std::array<double, 3>& shares) {
  constexpr std::array dimensions{TimePart::context_parallel, TimePart::expert_parallel, TimePart::gather};
  const Nanoseconds all = std::exchange(parts[TimePart::tensor_parallel], {});
  Nanoseconds left = all;
  auto largest = TimePart::tensor_parallel;
  double share = 1;
  for (const double one : shares) share -= one;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const Nanoseconds part(static_cast<std::int64_t>(shares[i] * static_cast<double>(all.count)));
    parts[dimensions[i]] += part;
    left = left - part;
    if (shares[i] > share) largest = dimensions[i], share = shares[i];
  }
  const double tensor = 1 - shares[0] - shares[1] - shares[2];
  parts[tensor > 1e-9 ? TimePart::tensor_parallel : largest] += left;  // and what rounding leaves
  return parts;
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
        verdict.twins = lane.twins;
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

  /// An iteration begins with it; asynchronous plans have no sharded weights.
  Nanoseconds gathered(std::size_t lane) const {
    return run_.begin.empty() ? Nanoseconds() : Nanoseconds(run_.begin[lane]);
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
      LaneTimes times =
          lane_times(verdict_.timeline, lane,
                     {run_.schedule.synchronous, synchronised, of_second[number], inputs_of_lanes_[number],
                      reductions[number], tensor_parallel[number], gathered(number)},
                     window_.begin, window_.end);
      if (!run_.schedule.synchronous)
        times = scaled(
            times,
            static_cast<double>(verdict_.iteration.count) / static_cast<double>((window_.end - window_.begin).count),
            verdict_.iteration);
      verdict_.devices[d].busy = times.busy;
      verdict_.devices[d].idle = times.idle;
      verdict_.devices[d].parts = by_dimension(times.parts, run_.costs.lanes[number].exposed_shares);
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

}  // namespace

Result<Simulation> verdict_of(const costs::SimulatorInputs& inputs, const engine::EngineInput& run,
                              const engine::Trace& trace, const SimulationDetail& detail, std::stop_token stop) {
  return Verdict(inputs, run, trace, detail, std::move(stop)).run();
}

}  // namespace pipedeck::sim
