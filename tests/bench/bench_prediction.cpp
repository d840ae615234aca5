// SPDX-License-Identifier: Apache-2.0
// How near predictions come: every preset that trains here is profiled, planned on one and two devices, simulated and
// trained; iteration time and peak memory, predicted against measured. Median of five takes, each measured anew,
// profile included. Times are of an idle machine, or of nothing; memory is exact on any.
//
// bench_prediction [PART OF A PRESET'S NAME]
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/presets/presets.hpp"
#include "core/runtime/profiler.hpp"
#include "core/runtime/trainer.hpp"
#include "core/sim/simulate.hpp"

using namespace pipedeck;

namespace {

constexpr int takes = 5, steps = 25, micro_batch = 8, micro_batches = 8;

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
  int stages, replicas;
  ScheduleKind schedule;
  bool recompute;
};

constexpr Case cases[] = {
    {"one device", 1, 1, ScheduleKind::one_f_one_b, false},
    {"one device, recompute", 1, 1, ScheduleKind::gpipe, true},
    {"two stages, GPipe", 2, 1, ScheduleKind::gpipe, false},
    {"two stages, GPipe, recompute", 2, 1, ScheduleKind::gpipe, true},
    {"two stages, 1F1B", 2, 1, ScheduleKind::one_f_one_b, false},
    {"two replicas", 1, 2, ScheduleKind::one_f_one_b, false},
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
    for (int r = 0; r < what.replicas; ++r) stage.devices.push_back(DeviceId(device++));
    stage.recompute.all = what.recompute;
    plan.stages.push_back(std::move(stage));
  }
  return plan;
}

struct Measured {
  std::vector<double> steps;
  std::vector<Bytes> peaks;  ///< a device, the most of any step
};

Measured train(const ModelSpec& model, const Plan& plan, const Schedule& schedule) {
  Measured measured;
  TrainOptions options;
  options.steps = steps;
  const auto sink = [&](const RunEvent& event) {
    const auto* done = std::get_if<StepDone>(&event);
    if (!done) return;
    if (done->step > 1) measured.steps.push_back(done->duration.count);
    measured.peaks.resize(done->memory.size());
    for (std::size_t i = 0; i < done->memory.size(); ++i)
      measured.peaks[i] = std::max(measured.peaks[i], done->memory[i]);
  };
  const auto trained = train_on_cpu(model, plan, schedule, options, sink);
  if (!trained) std::fprintf(stderr, "%s: %s\n", plan.name.c_str(), trained.error().text().c_str());
  return measured;
}

struct Errors {
  std::vector<double> predicted, measured, time;  ///< a take; time: predicted / measured - 1
  double lowest_peak = 1e9, highest_peak = -1e9;  ///< of any device of any take: predicted / measured - 1
};

void take(const Case& what, const ModelSpec& model, const std::shared_ptr<const Profile>& profile,
          const std::shared_ptr<const Cluster>& cluster, Errors& errors) {
  Conventions conventions;
  conventions.overlap = trainer_overlap;
  const Plan plan = plan_of(what, *profile, balanced_cut(*profile));
  const auto simulator = Simulator::of(profile, cluster, conventions);
  const auto simulation = simulator.and_then([&](const Simulator& s) { return s.run(plan); });
  const auto schedule = simulator.and_then([&](const Simulator& s) { return s.schedule(plan); });
  if (!simulation || !schedule) return static_cast<void>(std::fprintf(stderr, "%s can't be predicted\n", what.name));
  const Measured measured = train(model, plan, *schedule);
  if (measured.steps.empty()) return;
  errors.predicted.push_back(to_seconds(simulation->iteration).count);
  errors.measured.push_back(median(measured.steps));
  errors.time.push_back(errors.predicted.back() / errors.measured.back() - 1);
  for (std::size_t i = 0; i < measured.peaks.size(); ++i) {
    const double error =
        static_cast<double>(simulation->devices[i].peak.count) / static_cast<double>(measured.peaks[i].count) - 1;
    errors.lowest_peak = std::min(errors.lowest_peak, error);
    errors.highest_peak = std::max(errors.highest_peak, error);
  }
}

void bench(const std::string& name) {
  const auto model = open_model("preset:" + name);
  if (!model || !model->trainable_here) return;
  Errors errors[std::size(cases)];
  for (int i = 0; i < takes; ++i) {
    const auto profile = profile_on_cpu(*model, {micro_batch / 2, micro_batch});
    if (!profile) return static_cast<void>(std::fprintf(stderr, "%s\n", profile.error().text().c_str()));
    Bytes weights;
    for (const Layer& layer : profile->layers) weights += layer.parameters;
    const auto shared = std::make_shared<const Profile>(*profile);
    const auto cluster = std::make_shared<const Cluster>(cpu_cluster(2, weights.count / 8));
    for (std::size_t c = 0; c < std::size(cases); ++c) take(cases[c], *model, shared, cluster, errors[c]);
  }
  for (std::size_t c = 0; c < std::size(cases); ++c) {
    const Errors& e = errors[c];
    if (e.time.empty()) continue;
    std::printf("| %s | %s | %.2f ms | %.2f ms | %+.1f %% | %+.1f to %+.1f %% |\n", name.c_str(), cases[c].name,
                1e3 * median(e.predicted), 1e3 * median(e.measured), 100 * median(e.time), 100 * e.lowest_peak,
                100 * e.highest_peak);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  std::printf("%d micro-batches of %d, %d steps, median of %d takes\n\n", micro_batches, micro_batch, steps, takes);
  std::printf("| preset | plan | predicted | measured | time | peak memory |\n|---|---|---|---|---|---|\n");
  for (const std::string& name : model_preset_names())
    if (name.find(wanted) != std::string::npos) bench(name);
}
