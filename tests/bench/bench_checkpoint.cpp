// SPDX-License-Identifier: Apache-2.0
// The cost of a checkpoint every 100 steps: the extra time of the steps around it, while it is copied and then written
// in the background. Medians of several runs, each with one checkpoint between enough steps for the usual duration; the
// cost is relative to 100 of these.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "core/runtime/train.hpp"
#include "tests/core/runtime/train/training_cases.hpp"

using namespace pipedeck;
using namespace pipedeck::test;

namespace {

constexpr int every = 100, taken = 30, around = 20, warm_up = 5, rounds = 5;
constexpr double seconds_a_case = 12;  // on a busy machine fewer rounds
constexpr double wanted = 0.02;        // of a step

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

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
  runtime::train::TrainOptions options;
  options.steps = taken + around;
  options.checkpoint = runtime::checkpoint::Options{folder, taken, 1};
  std::vector<double> before, after;
  Cost cost;
  const auto sink = [&](const RunEvent& event) {
    if (const auto* done = std::get_if<StepDone>(&event))
      if (done->step > warm_up && done->step < options.steps)  // the last one has a checkpoint of its own
        (done->step < taken ? before : after).push_back(done->duration.count);
    if (const auto* saved = std::get_if<RunCheckpoint>(&event); saved && saved->step == taken)
      cost.written = saved->duration.count, cost.bytes = static_cast<double>(saved->bytes.count);
  };
  const auto result = runtime::train_on_cpu(model, plan, schedule_for(plan, Order::policy_a), options, sink);
  if (!result) std::fprintf(stderr, "%s\n", result.error().text().c_str());
  cost.step = median(before);
  for (const double step : after) cost.extra += step - cost.step;
  return cost;
}

void bench(const ModelSpec& model, int micro_batch, const std::string& folder) {
  for (const int stages : {1, 2}) {
    const Plan plan = plan_for(model, std::vector<int>(static_cast<std::size_t>(stages), 1), micro_batch, 8);
    std::vector<double> shares, extras, steps, written;
    double bytes = 0;
    const auto begin = Clock::now();
    for (int round = 0; round < rounds && (round == 0 || seconds_since(begin) < seconds_a_case); ++round) {
      const Cost cost = one_run(model, plan, folder);
      shares.push_back(cost.extra / every / cost.step);
      extras.push_back(cost.extra), steps.push_back(cost.step), written.push_back(cost.written);
      bytes = cost.bytes;
    }
    std::printf(
        "%s, %d stages: %.1f MB in %.1f ms beside the training; costs %+.2f ms of steps of %.2f ms: %+.2f %% of a step "
        "when taken every %d (wanted: below %.0f %%)\n",
        model.name.c_str(), stages, bytes / 1e6, median(written) * 1e3, median(extras) * 1e3, median(steps) * 1e3,
        median(shares) * 100, every, wanted * 100);
    std::fflush(stdout);
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
