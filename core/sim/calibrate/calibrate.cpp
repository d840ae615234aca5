// SPDX-License-Identifier: Apache-2.0
#include "core/sim/calibrate/calibrate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/plan/validate.hpp"
#include "core/sim/calibrate/run_observations.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::sim::calibrate {
namespace {

constexpr int min_operations = 4;
constexpr double min_efficiency = 0.01, max_efficiency = 100, max_slowdown = 10;
/// A pass counts for the slow-down if slow-down 2 would make it longer by this fraction.
constexpr double min_beside = 0.05;
constexpr double shortest_pass = 1e-6;  // seconds; quicker ones count as this long

/// A parameter's value from one operation, and its weight.
struct Sample {
  double value = 0, weight = 1;
};
using Samples = std::vector<Sample>;

double weight_of(const Samples& samples) {
  double sum = 0;
  for (const Sample& sample : samples) sum += sample.weight;
  return sum;
}

/// Returns the least value that has `part` of the weight at or below it; the middle between it and the next if it has
/// exactly that. For sorted samples.
double quantile(const Samples& sorted, double part) {
  const double wanted = part * weight_of(sorted);
  double below = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    below += sorted[i].weight;
    if (below < wanted) continue;
    return below == wanted && i + 1 < sorted.size() ? (sorted[i].value + sorted[i + 1].value) / 2 : sorted[i].value;
  }
  return sorted.back().value;
}

/// Median and quartiles; the value is left to the caller to bound.
double median_of(Samples samples, FittedParameter& figure) {
  // By weight too, so that sums do not depend on the order of the runs.
  std::ranges::sort(samples, [](const Sample& a, const Sample& b) {
    return a.value < b.value || (a.value == b.value && a.weight < b.weight);
  });
  figure.determined = true;
  figure.operations = static_cast<int>(samples.size());
  figure.lower = quantile(samples, 0.25);
  figure.upper = quantile(samples, 0.75);
  return quantile(samples, 0.5);
}

/// A run with its predictions.
struct Candidate {
  const MeasuredRun* run = nullptr;
  RunObservations seen;
  Operations plain;   ///< as the files have it
  Operations slower;  ///< links half as fast, compute twice as slow during communication
  Seconds before;
  Bytes predicted_peak;
  Seconds median_gap;  ///< between passes, where the device does not wait
};

Error in_run(Error error, const MeasuredRun& run) {
  error.file = run.name;
  return error;
}

Result<Simulator> simulator_of(const MeasuredRun& run, const Calibration& calibration) {
  SimulationOptions conventions = run.problem.workload.conventions;
  conventions.calibration = calibration;
  return Simulator::of(run.problem.profile, run.problem.cluster, conventions);
}

Result<Simulation> simulation_of(const MeasuredRun& run, const Calibration& calibration, const std::stop_token& stop) {
  auto simulation = simulator_of(run, calibration).and_then([&](const Simulator& simulator) {
    return simulator.run(run.plan, stop);
  });
  if (!simulation) return tl::unexpected(in_run(simulation.error(), run));
  return simulation;
}

Result<Seconds> iteration_of(const MeasuredRun& run, const Calibration& calibration, const std::stop_token& stop) {
  auto time = simulator_of(run, calibration).and_then([&](const Simulator& simulator) {
    return simulator.iteration_time(run.plan, stop);
  });
  if (!time) return tl::unexpected(in_run(time.error(), run));
  return time;
}

Seconds median_gap(const RunObservations& seen) {
  Samples gaps;
  for (const OperationMeasurement& operation : seen.operations)
    if (operation.gap) gaps.push_back({to_seconds(*operation.gap).count});
  FittedParameter unused;
  return gaps.empty() ? Seconds() : Seconds(median_of(std::move(gaps), unused));
}

Result<Candidate> candidate_of(const MeasuredRun& run, const std::stop_token& stop) {
  if (auto valid = plan::validate(run.plan, *run.problem.profile, *run.problem.cluster); !valid)
    return tl::unexpected(in_run(valid.error(), run));
  if (auto covered = plan::validate_covered(run.plan); !covered) return tl::unexpected(in_run(covered.error(), run));
  auto seen = collect_measurements(run.plan, run.events);
  if (!seen) return tl::unexpected(in_run(seen.error(), run));
  TRY(const auto plain, simulation_of(run, {}, stop));
  TRY(const auto slower, simulation_of(run, {{}, 2, 0.5}, stop));
  Candidate candidate{&run,
                      *std::move(seen),
                      operations_of(plain.timeline),
                      operations_of(slower.timeline),
                      to_seconds(plain.iteration),
                      {},
                      {}};
  for (const SimulatedDevice& device : plain.devices)
    candidate.predicted_peak = std::max(candidate.predicted_peak, device.peak);
  candidate.median_gap = median_gap(candidate.seen);
  return candidate;
}

const TimelineRow* find(const Operations& operations, const OperationKey& key) {
  const auto found = operations.find(key);
  return found == operations.end() ? nullptr : &found->second;
}

using Candidates = std::vector<const Candidate*>;

/// One fit from one set of runs.
class Fit {
 public:
  Fit(Candidates runs, const std::stop_token& stop) : runs_(std::move(runs)), stop_(stop) {}

  Result<CalibrationRecord> run() {
    fit_overhead();
    fit_efficiency();
    TRY_VOID(fit_slowdown());
    return record_;
  }

 private:
  Calibration& values() { return record_.values; }

  void fit_overhead() {
    Samples samples;
    for (const Candidate* run : runs_)
      for (const OperationMeasurement& seen : run->seen.operations) {
        if (!seen.key.is_pass() || !seen.gap || seen.beside_communication) continue;
        const TimelineRow *plain = find(run->plain, seen.key), *slower = find(run->slower, seen.key);
        if (!plain || !slower || plain->duration != slower->duration) continue;
        // Other errors of a profile grow with the pass: short passes count most.
        const double longer = to_seconds(seen.duration + *seen.gap - plain->duration).count;
        samples.push_back({longer, 1 / std::max(to_seconds(plain->duration).count, shortest_pass)});
      }
    if (static_cast<int>(samples.size()) < min_operations) {
      record_.overhead.note = "no pass stands clear of waiting and communication";
      return;
    }
    const double median = median_of(std::move(samples), record_.overhead);
    if (median < 0) record_.overhead.note = "passes took less time than in the profile, which no overhead explains";
    values().operation_overhead = Seconds(std::max(0.0, median));
  }

  void fit_efficiency() {
    Samples samples;
    for (const Candidate* run : runs_)
      for (const OperationMeasurement& seen : run->seen.operations) {
        if (!seen.key.is_communication()) continue;
        const TimelineRow *plain = find(run->plain, seen.key), *slower = find(run->slower, seen.key);
        if (!plain || !slower) continue;
        // D = d + V / e: with e = 1/2 the part of the bytes, V, is there a second time.
        const double bytes_time = to_seconds(slower->duration - plain->duration).count;
        if (bytes_time <= 0) continue;
        const double left = to_seconds(seen.duration - plain->duration).count + bytes_time;
        const double efficiency = left > 0 ? bytes_time / left : max_efficiency;
        samples.push_back({std::clamp(efficiency, min_efficiency, max_efficiency), bytes_time});
      }
    if (static_cast<int>(samples.size()) < min_operations) {
      record_.efficiency.note = "no transfer or all-reduce takes time for its bytes";
      return;
    }
    values().link_efficiency = median_of(std::move(samples), record_.efficiency);
  }

  Result<void> fit_slowdown() {
    Samples samples;
    for (const Candidate* run : runs_) {
      Calibration slowed = values();
      slowed.overlap_slowdown = 2;
      TRY(const auto one, simulation_of(*run->run, values(), stop_));
      TRY(const auto two, simulation_of(*run->run, slowed, stop_));
      add_slowdowns(*run, operations_of(one.timeline), operations_of(two.timeline), samples);
    }
    if (static_cast<int>(samples.size()) < min_operations) {
      record_.slowdown.note = "no pass overlaps communication for long enough";
      return {};
    }
    const double median = median_of(std::move(samples), record_.slowdown);
    if (median < 1) record_.slowdown.note = "passes during communication took no longer than others";
    values().overlap_slowdown = std::clamp(median, 1.0, max_slowdown);
    return {};
  }

  static void add_slowdowns(const Candidate& run, const Operations& one, const Operations& two, Samples& samples) {
    for (const OperationMeasurement& seen : run.seen.operations) {
      if (!seen.key.is_pass()) continue;
      const TimelineRow *plain = find(one, seen.key), *slowed = find(two, seen.key);
      if (!plain || !slowed) continue;
      const double beside = to_seconds(slowed->duration - plain->duration).count;
      if (beside <= min_beside * to_seconds(plain->duration).count) continue;
      const Seconds gap = seen.gap ? to_seconds(*seen.gap) : run.median_gap;
      const Seconds longer = to_seconds(seen.duration - plain->duration) + gap;
      samples.push_back({1 + longer.count / beside, beside});
    }
  }

  Candidates runs_;
  std::stop_token stop_;
  CalibrationRecord record_;
};

/// All candidates but one that are fitted from.
Candidates others(const std::vector<Candidate>& candidates, const Candidate* left_out) {
  Candidates others;
  for (const Candidate& candidate : candidates)
    if (!candidate.run->held_out && &candidate != left_out) others.push_back(&candidate);
  return others;
}

Result<CalibratedRun> judged(const Candidate& candidate, const Calibration& calibration, RunUse use,
                             const std::stop_token& stop) {
  TRY(const auto after, iteration_of(*candidate.run, calibration, stop));
  return CalibratedRun{candidate.run->name,     candidate.run->plan.name, use,   candidate.seen.steps,
                       candidate.seen.step,     candidate.before,         after, candidate.seen.peak,
                       candidate.predicted_peak};
}

}  // namespace

Result<CalibrationRecord> calibrate(const std::vector<MeasuredRun>& runs, const Progress& progress,
                                    std::stop_token stop) {
  std::vector<Candidate> candidates;
  for (const MeasuredRun& run : runs) {
    report(progress, 0.3 * static_cast<double>(candidates.size()) / static_cast<double>(runs.size()), run.name);
    TRY(auto candidate, candidate_of(run, stop));
    candidates.push_back(std::move(candidate));
  }
  const Candidates fitted = others(candidates, nullptr);
  if (fitted.empty()) return fail(ErrorCode::bad_usage, "a calibration needs a run to be fitted from");
  const bool in_turn = fitted.size() == candidates.size() && fitted.size() > 1;
  auto record = Fit(fitted, stop).run();
  if (!record) return record;
  for (const Candidate& candidate : candidates) {
    report(progress, 0.4 + 0.6 * static_cast<double>(record->runs.size()) / static_cast<double>(runs.size()),
           candidate.run->name);
    RunUse use = candidate.run->held_out ? RunUse::held_out : RunUse::fit;
    Calibration values = record->values;
    if (in_turn) {
      use = RunUse::cross_validation;
      const auto without = Fit(others(candidates, &candidate), stop).run();
      if (!without) return without;
      values = without->values;
    }
    TRY(auto run, judged(candidate, values, use, stop));
    record->runs.push_back(std::move(run));
  }
  return record;
}

}  // namespace pipedeck::sim::calibrate
