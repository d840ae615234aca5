// SPDX-License-Identifier: Apache-2.0
// The accuracy of predictions: every preset that trains here is profiled, planned on one and two devices, simulated and
// trained; iteration time and peak memory, predicted against measured. Medians of five repetitions, each measured anew,
// including profile and cluster. Times require an idle machine; memory is exact on any. A second table divides the
// difference between prediction and run by kind of operation.
//
// bench_prediction [PART OF A PRESET'S NAME]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/presets/presets.hpp"
#include "core/runtime/profile/profiler.hpp"
#include "core/runtime/train.hpp"
#include "core/sim/compare_timelines.hpp"
#include "core/sim/simulate.hpp"

using namespace pipedeck;

namespace {

constexpr int takes = 5, micro_batch = 8, micro_batches = 4;
constexpr double seconds_a_run = 0.5;  // steps until then, by the prediction

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The cut after which the slower stage is fastest.
int balanced_cut(const Profile& profile) {
  const int layers = static_cast<int>(profile.layers.size());
  const auto slower = [&](int cut) {
    Seconds before, behind;
    for (int i = 0; i < layers; ++i) {
      const Layer& layer = profile.layers[static_cast<std::size_t>(i)];
      (i < cut ? before : behind) += layer.forward + layer.backward;
    }
    return std::max(before, behind);
  };
  int best = 1;
  for (int cut = 2; cut < layers; ++cut)
    if (slower(cut) < slower(best)) best = cut;
  return best;
}

struct Case {
  const char* name;
  int stages, replicas, degree;
  ScheduleKind schedule;
  int devices() const { return stages * replicas * degree; }
  /// That share the model out among them.
  int parts() const { return stages * degree; }
};

constexpr Case cases[] = {
    {"one device", 1, 1, 1, ScheduleKind::one_f_one_b},
    {"two stages", 2, 1, 1, ScheduleKind::one_f_one_b},
    {"two replicas", 1, 2, 1, ScheduleKind::one_f_one_b},
    {"tensor-parallel", 1, 1, 2, ScheduleKind::one_f_one_b},
};

Plan plan_of(const Case& what, const Profile& profile, int cut) {
  Plan plan;
  plan.name = what.name;
  plan.micro_batch = micro_batch, plan.micro_batches = micro_batches;
  plan.global_batch = micro_batch * micro_batches;
  plan.schedule = what.schedule;
  const int layers = static_cast<int>(profile.layers.size());
  int device = 0;
  for (int s = 0; s < what.stages; ++s) {
    Stage stage;
    stage.first = s == 0 ? 0 : cut;
    stage.last = s + 1 == what.stages ? layers : cut;
    stage.tensor_parallel = what.degree;
    for (int r = 0; r < what.replicas * what.degree; ++r) stage.devices.push_back(DeviceId(device++));
    plan.stages.push_back(std::move(stage));
  }
  return plan;
}

struct Measured {
  std::vector<double> steps;
  std::vector<Timeline> timelines;         ///< of the same steps
  std::vector<std::vector<double>> peaks;  ///< of each device, a step
};

Measured train(const ModelSpec& model, const Plan& plan, const Schedule& schedule, int steps) {
  Measured measured;
  runtime::train::TrainOptions options;
  options.steps = steps;
  options.timeline_every = 1;
  const auto sink = [&](const RunEvent& event) {
    const auto* ran = std::get_if<MeasuredTimeline>(&event);
    if (ran && ran->step > 1) measured.timelines.push_back(ran->timeline);
    const auto* done = std::get_if<StepDone>(&event);
    if (!done) return;
    if (done->step > 1) measured.steps.push_back(done->duration.count);
    measured.peaks.resize(done->memory.size());
    for (std::size_t i = 0; i < done->memory.size(); ++i)
      measured.peaks[i].push_back(static_cast<double>(done->memory[i].count));
  };
  const auto trained = runtime::train_on_cpu(model, plan, schedule, options, sink);
  if (!trained) std::fprintf(stderr, "%s: %s\n", plan.name.c_str(), trained.error().text().c_str());
  return measured;
}

/// A figure a take.
struct Figures {
  std::vector<double> predicted, measured, error;  ///< error: predicted / measured - 1
  void add(double own, double real) {
    predicted.push_back(own), measured.push_back(real), error.push_back(own / real - 1);
  }
};

/// A part of a device's step: kinds of operations, waiting, and the time around operations.
enum Place : std::size_t { forward, backward, optimizer, all_reduce, waiting, around, places };
constexpr const char* place_names[places] = {"forward", "backward", "optimizer", "all-reduce", "waiting", "around"};

struct Outcome {
  Figures time;  ///< s, of a step
  /// By place: measured less predicted time, as a fraction of the measured step, per step.
  std::array<std::vector<double>, places> apart;
  Figures peak;                         ///< bytes, of the device that the estimate is furthest from
  double lowest = 1e9, highest = -1e9;  ///< error of the estimate, of any device of any take
  int above_upper = 0;                  ///< devices whose upper estimate some step exceeded
};

void add_peaks(const Simulation& simulation, Measured measured, Outcome& outcome) {
  double furthest = 0, estimate = 0, real = 1;
  for (std::size_t i = 0; i < measured.peaks.size(); ++i) {
    const SimulatedDevice& device = simulation.devices[i];
    const double usual = median(measured.peaks[i]), peak = static_cast<double>(device.peak.count);
    const double error = peak / usual - 1;
    outcome.lowest = std::min(outcome.lowest, error), outcome.highest = std::max(outcome.highest, error);
    if (i == 0 || std::abs(error) > furthest) furthest = std::abs(error), estimate = peak, real = usual;
    if (*std::ranges::max_element(measured.peaks[i]) > static_cast<double>(device.peak_upper_bound.count))
      ++outcome.above_upper;
  }
  outcome.peak.add(estimate, real);
}

/// All devices together; a wait that an all-reduce ends is the all-reduce's as far as that lasts.
std::array<double, places> apart_of(const Simulation& simulation, const Timeline& ran, double step) {
  const sim::TimelineDifference both = sim::difference(simulation.timeline, ran);
  std::array<double, places> apart{};
  for (const sim::KindDifference& kind : both.kinds) {
    const double more = kind.measured.count - kind.predicted.count;
    if (kind.kind == OpKind::forward) apart[forward] += more;
    if (kind.kind == OpKind::backward) apart[backward] += more;
    if (kind.kind == OpKind::optimizer) apart[optimizer] += more;
    if (kind.kind == OpKind::all_reduce) apart[all_reduce] += more;
  }
  const auto devices = static_cast<double>(simulation.devices.size());
  apart[waiting] = both.measured_idle.count - both.predicted_idle.count - apart[all_reduce];
  apart[around] = devices * (step - both.measured_iteration.count);
  for (double& part : apart) part /= devices * step;
  return apart;
}

/// Profiles under the plan's conditions: its samples per device, busy cores and part of the model per device.
Result<Profile> profile_for(const Case& what, const ModelSpec& model) {
  const runtime::profile::Repetitions repetitions{7, 100, 0.005, Seconds(0.4)};
  const std::vector<int> degrees = what.degree > 1 ? std::vector{what.degree} : std::vector<int>();
  return runtime::profile::profile_on_cpu(model, {{micro_batch / what.replicas}, degrees, repetitions, what.devices()});
}

/// False where there is nothing to predict from.
bool take(const Case& what, const ModelSpec& model, Outcome& outcome) {
  const auto measured_profile = profile_for(what, model);
  if (!measured_profile) return false;
  const auto profile = std::make_shared<const Profile>(*measured_profile);
  const auto cluster = std::make_shared<const Cluster>(
      runtime::profile::cpu_cluster(what.devices(), runtime::profile::load_of(*profile, what.parts())));
  SimulationOptions conventions;
  conventions.overlap = runtime::train::trainer_overlap;
  const Plan plan = plan_of(what, *profile, balanced_cut(*profile));
  const auto simulator = sim::Simulator::of(profile, cluster, conventions);
  const auto simulation = simulator.and_then([&](const sim::Simulator& s) { return s.run(plan); });
  const auto schedule = simulator.and_then([&](const sim::Simulator& s) { return s.schedule(plan); });
  if (!simulation || !schedule) return false;
  const double step = to_seconds(simulation->iteration).count;
  const int steps = std::clamp(static_cast<int>(seconds_a_run / step), 6, 50);
  const Measured measured = train(model, plan, *schedule, steps);
  if (measured.steps.empty()) return false;
  outcome.time.add(step, median(measured.steps));
  add_peaks(*simulation, measured, outcome);
  for (std::size_t i = 0; i < std::min(measured.steps.size(), measured.timelines.size()); ++i) {
    const auto apart = apart_of(*simulation, measured.timelines[i], measured.steps[i]);
    for (std::size_t place = 0; place < places; ++place) outcome.apart[place].push_back(apart[place]);
  }
  return true;
}

void print(const std::string& preset, const Case& what, const Outcome& outcome) {
  if (outcome.time.error.empty()) return;
  std::printf("| %s | %s | %.2f ms | %.2f ms | %+.1f %% | %.3f MB | %.3f MB | %+.2f %% | %+.2f to %+.2f %%%s |\n",
              preset.c_str(), what.name, 1e3 * median(outcome.time.predicted), 1e3 * median(outcome.time.measured),
              100 * median(outcome.time.error), 1e-6 * median(outcome.peak.predicted),
              1e-6 * median(outcome.peak.measured), 100 * median(outcome.peak.error), 100 * outcome.lowest,
              100 * outcome.highest, outcome.above_upper > 0 ? ", upper estimate exceeded" : "");
  std::fflush(stdout);
}

/// The rows of the second table, which are printed behind the first.
void add_places(const std::string& preset, const Case& what, const Outcome& outcome, std::string& rows) {
  if (outcome.apart.front().empty()) return;
  rows += fmt::format("| {} | {} |", preset, what.name);
  for (const std::vector<double>& apart : outcome.apart) rows += fmt::format(" {:+.1f} % |", 100 * median(apart));
  rows += "\n";
}

void bench(const std::string& name, std::string& rows) {
  const auto model = presets::open_model("preset:" + name);
  if (!model || !model->trainable_here) return;
  Outcome outcomes[std::size(cases)];
  for (int i = 0; i < takes; ++i)
    for (std::size_t c = 0; c < std::size(cases); ++c)
      if (!take(cases[c], *model, outcomes[c]))
        return static_cast<void>(std::fprintf(stderr, "%s can't be predicted\n", name.c_str()));
  for (std::size_t c = 0; c < std::size(cases); ++c) {
    print(name, cases[c], outcomes[c]);
    add_places(name, cases[c], outcomes[c], rows);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  std::printf(
      "%d micro-batches of %d samples, medians of %d takes; memory of the device with the largest error, and "
      "of all devices and takes\n\n",
      micro_batches, micro_batch, takes);
  std::printf(
      "| preset | plan | step predicted | measured | error | peak estimated | measured | error | of all |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  std::string rows;
  for (const std::string& name : presets::model_preset_names())
    if (name.find(wanted) != std::string::npos) bench(name, rows);
  std::printf("\nMeasured less predicted, in parts of the measured step, medians of all steps\n\n| preset | plan |");
  for (const char* place : place_names) std::printf(" %s |", place);
  std::printf("\n|---|---|---|---|---|---|---|---|\n%s", rows.c_str());
}
