// SPDX-License-Identifier: Apache-2.0
// Predicted against measured steps and peaks of each dimension of a mesh on two processor threads. The profile has the
// layers of one rank of each plan. Medians of five takes, each measured anew. Times require an idle machine with two
// cores; memory is exact on any.
//
// bench_dimensions [PART OF A ROW'S NAME]
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/run_prediction.hpp"
#include "core/presets/presets.hpp"
#include "core/runtime/profile/rank_profile.hpp"
#include "core/runtime/train.hpp"
#include "core/sim/simulate.hpp"

using namespace pipedeck;

namespace {

constexpr int takes = 5, devices = 2, micro_batch = 8, micro_batches = 4;
constexpr double seconds_a_run = 0.5;  // steps until then, by the prediction

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// A way to divide a model over two devices.
struct Case {
  const char* name;
  const char* preset;
  int stages = 1, chunks = 1;
  Shard shard = {};
  Sharding sharding = {};
  std::vector<std::string> modules = {};
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {.name = "D 2", .preset = "llama-tiny"},
      {.name = "T 2", .preset = "llama-tiny", .shard = {.tensor = 2}},
      {.name = "T 2, tokens divided", .preset = "llama-tiny", .shard = {.tensor = 2, .sequence = true}},
      {.name = "C 2, ring", .preset = "llama-tiny", .shard = {.context = 2}},
      {.name = "C 2, gather", .preset = "llama-tiny", .shard = {.context = 2, .context_kind = ContextKind::gather}},
      {.name = "C 2, heads", .preset = "llama-tiny", .shard = {.context = 2, .context_kind = ContextKind::heads}},
      {.name = "e 2", .preset = "mixtral-tiny", .shard = {.expert = 2}},
      {.name = "x 2", .preset = "mixtral-tiny", .shard = {.expert_tensor = 2}},
      {.name = "ZeRO-1", .preset = "llama-tiny", .sharding = {.level = 1}},
      {.name = "ZeRO-2", .preset = "llama-tiny", .sharding = {.level = 2}},
      {.name = "ZeRO-3", .preset = "llama-tiny", .sharding = {.level = 3}},
      {.name = "P 2", .preset = "llama-tiny", .stages = 2},
      {.name = "P 2, v 2", .preset = "llama-tiny", .stages = 2, .chunks = 2},
      {.name = "D 2, core_attn and mlp recomputed", .preset = "llama-tiny", .modules = {"core_attn", "mlp"}},
  };
  return all;
}

/// Returns the plan. Stage s is on device s mod P.
Plan plan_of(const Case& what, int layers) {
  Plan plan;
  plan.name = what.name;
  plan.micro_batch = micro_batch, plan.micro_batches = micro_batches;
  plan.global_batch = micro_batch * micro_batches;
  if (what.chunks > 1) plan.schedule = ScheduleKind::interleaved;
  const int stages = what.stages * what.chunks;
  for (int s = 0; s < stages; ++s) {
    Stage stage;
    stage.first = layers * s / stages, stage.last = layers * (s + 1) / stages;
    stage.tensor_parallel = what.shard.tensor;
    stage.degrees = what.shard, stage.degrees.tensor = 1;
    for (int d = 0; d < devices / what.stages; ++d) stage.devices.push_back(DeviceId(s % what.stages + d));
    stage.recompute.modules = what.modules;
    plan.stages.push_back(std::move(stage));
  }
  plan.sharding = what.sharding;
  return plan;
}

/// The figures of all takes.
struct Figures {
  std::vector<double> predicted, measured, error;
  void add(double own, double real) {
    predicted.push_back(own), measured.push_back(real), error.push_back(own / real - 1);
  }
};

struct Outcome {
  Figures time, peak;  ///< s of a step; bytes of the device that the prediction is furthest from
  double lowest = 1e9, highest = -1e9;
};

struct Measured {
  std::vector<double> steps;
  std::map<std::size_t, std::vector<double>> peaks;
};

Result<Measured> train(const ModelSpec& model, const Plan& plan, const Schedule& schedule, int steps) {
  Measured measured;
  runtime::train::TrainOptions options;
  options.steps = steps;
  const auto sink = [&](const RunEvent& event) {
    const auto* done = std::get_if<StepDone>(&event);
    if (!done) return;
    if (done->step > 1) measured.steps.push_back(done->duration.count);
    for (std::size_t i = 0; i < done->memory.size(); ++i)
      measured.peaks[i].push_back(static_cast<double>(done->memory[i].count));
  };
  TRY_VOID(runtime::train_on_cpu(model, plan, schedule, options, sink));
  return measured;
}

void add_peaks(const Simulation& simulation, const Measured& measured, Outcome& outcome) {
  double furthest = -1, estimate = 0, real = 1;
  for (const auto& [device, peaks] : measured.peaks) {
    const double usual = median(peaks), own = static_cast<double>(simulation.devices[device].peak.count);
    const double error = own / usual - 1;
    outcome.lowest = std::min(outcome.lowest, error), outcome.highest = std::max(outcome.highest, error);
    if (std::abs(error) > furthest) furthest = std::abs(error), estimate = own, real = usual;
  }
  outcome.peak.add(estimate, real);
}

Result<void> take(const Case& what, const ModelSpec& model, Outcome& outcome) {
  const Plan plan = plan_of(what, static_cast<int>(model.layers.size()) - 1);
  const runtime::profile::Repetitions repetitions{7, 100, 0.005, Seconds(0.4)};
  TRY(auto measured_profile, runtime::profile::profile_ranks_on_cpu(model, plan, repetitions, devices));
  const auto profile = std::make_shared<const Profile>(std::move(measured_profile));
  TRY(const auto same, plan::predicted_by(plan, *profile));
  const auto cluster = std::make_shared<const Cluster>(
      runtime::profile::cpu_cluster(devices, runtime::profile::load_of(*profile, devices)));
  SimulationOptions conventions;
  conventions.overlap = runtime::train::trainer_overlap;
  TRY(const auto simulator, sim::Simulator::of(profile, cluster, conventions));
  TRY(const auto simulation, simulator.run(*same));
  TRY(const auto schedule, simulator.schedule(*same));
  const double step = to_seconds(simulation.iteration).count;
  TRY(const Measured measured, train(model, plan, schedule, std::clamp(static_cast<int>(seconds_a_run / step), 6, 50)));
  outcome.time.add(step, median(measured.steps));
  add_peaks(simulation, measured, outcome);
  return {};
}

void print(const Case& what, const Outcome& outcome) {
  std::printf("| %s | %s | %.2f ms | %.2f ms | %+.1f %% | %.3f MB | %.3f MB | %+.2f to %+.2f %% |\n", what.name,
              what.preset, 1e3 * median(outcome.time.predicted), 1e3 * median(outcome.time.measured),
              100 * median(outcome.time.error), 1e-6 * median(outcome.peak.predicted),
              1e-6 * median(outcome.peak.measured), 100 * outcome.lowest, 100 * outcome.highest);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  std::printf("%d micro-batches of %d samples on %d threads, medians of %d takes\n\n", micro_batches, micro_batch,
              devices, takes);
  std::printf(
      "| plan | preset | step predicted | measured | error | peak predicted | measured | error of all |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (const Case& what : cases()) {
    if (std::string(what.name).find(wanted) == std::string::npos) continue;
    const auto model = presets::open_model(std::string("preset:") + what.preset);
    Outcome outcome;
    for (int i = 0; i < takes; ++i)
      if (const auto taken = take(what, *model, outcome); !taken) {
        std::fprintf(stderr, "%s: %s\n", what.name, taken.error().text().c_str());
        return 1;
      }
    print(what, outcome);
  }
}
