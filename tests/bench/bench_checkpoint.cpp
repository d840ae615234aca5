// SPDX-License-Identifier: Apache-2.0
// What a checkpoint costs a run that takes one every 100 steps: the time by which the steps around it are longer than
// the others, while it is copied and then written beside them. Medians of several runs.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "core/runtime/trainer.hpp"
#include "tests/core/runtime/training_cases.hpp"

using namespace pipedeck;
using namespace pipedeck::test;

namespace {

constexpr int every = 100, around = 25, rounds = 9;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Cost {
  double step = 0;   ///< s, the usual one
  double extra = 0;  ///< s, of all steps from the checkpoint's on together
  double written = 0, bytes = 0;
};

Cost one_run(const ModelSpec& model, const Plan& plan, const std::string& folder) {
  std::filesystem::remove_all(folder);
  TrainOptions options;
  options.steps = every + around;
  options.checkpoint = CheckpointOptions{folder, every, 1};
  std::vector<double> before, after;
  Cost cost;
  const auto sink = [&](const RunEvent& event) {
    if (const auto* done = std::get_if<StepDone>(&event))
      if (done->step > around && done->step < options.steps)  // the last one has a checkpoint of its own
        (done->step < every ? before : after).push_back(done->duration.count);
    if (const auto* saved = std::get_if<RunCheckpoint>(&event); saved && saved->step == every)
      cost.written = saved->duration.count, cost.bytes = static_cast<double>(saved->bytes.count);
  };
  const auto result = train_on_cpu(model, plan, schedule_for(plan, Order::policy_a), options, sink);
  if (!result) std::fprintf(stderr, "%s\n", result.error().text().c_str());
  cost.step = median(before);
  for (const double step : after) cost.extra += step - cost.step;
  return cost;
}

void bench(const ModelSpec& model, int micro_batch, const std::string& folder) {
  for (const int stages : {1, 2}) {
    const Plan plan = plan_for(model, std::vector<int>(static_cast<std::size_t>(stages), 1), micro_batch, 16);
    std::vector<double> shares, extras, steps, written;
    double bytes = 0;
    for (int round = 0; round < rounds; ++round) {
      const Cost cost = one_run(model, plan, folder);
      shares.push_back(cost.extra / every / cost.step);
      extras.push_back(cost.extra), steps.push_back(cost.step), written.push_back(cost.written);
      bytes = cost.bytes;
    }
    std::printf(
        "%s, %d stages: %.1f MB in %.1f ms beside the training; costs %+.2f ms of steps of %.2f ms: %+.2f %% of a step "
        "when taken every %d\n",
        model.name.c_str(), stages, bytes / 1e6, median(written) * 1e3, median(extras) * 1e3, median(steps) * 1e3,
        median(shares) * 100, every);
  }
}

}  // namespace

/// bench_checkpoint FOLDER: on its disk.
int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: bench_checkpoint FOLDER\n"), 2;
  const std::string folder = std::string(argv[1]) + "/bench-checkpoint";
  bench(small_gpt(4, 128, 64, 96), 1, folder);
  bench(small_mlp(512, 8, 256, 64), 16, folder);
  std::filesystem::remove_all(folder);
}
