// SPDX-License-Identifier: Apache-2.0
// The runtime's training speed: one stage on one core against two stages on two, a step's overhead over its bare
// kernels, and the accuracy of a profile's prediction. Medians of interleaved runs, so that a disturbance does not
// decide; valid only on a quiet machine.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/one_core.hpp"
#include "core/runtime/cpu/softmax_cross_entropy.hpp"
#include "core/runtime/data/sample_source.hpp"
#include "core/runtime/exec/stage_module.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/profile/profiler.hpp"
#include "core/runtime/tensor/optimizer.hpp"
#include "core/runtime/train.hpp"
#include "tests/core/runtime/train/training_cases.hpp"

using namespace pipedeck;
using namespace pipedeck::test;

namespace {

constexpr int rounds = 7, steps_a_round = 6;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// The cut after which the slower stage is fastest.
int balanced_cut(const Profile& profile) {
  const int layers = static_cast<int>(profile.layers.size());
  const auto time = [&](int first, int last) {
    Seconds sum;
    for (int i = first; i < last; ++i) {
      const Layer& layer = profile.layers[static_cast<std::size_t>(i)];
      sum += layer.forward + layer.backward;
    }
    return sum;
  };
  int best = 1;
  for (int cut = 2; cut < layers; ++cut)
    if (std::max(time(0, cut), time(cut, layers)) < std::max(time(0, best), time(best, layers))) best = cut;
  return best;
}

struct RunTimes {
  std::vector<double> steps;
  std::vector<double> busy;  ///< of a step, summed over devices
};

void run(const ModelSpec& model, const Plan& plan, RunTimes& times) {
  runtime::train::TrainOptions options;
  options.steps = steps_a_round + 1;
  const auto sink = [&](const RunEvent& event) {
    const auto* done = std::get_if<StepDone>(&event);
    if (done == nullptr || done->step == 1) return;  // the first step makes its memory
    times.steps.push_back(done->duration.count);
    double busy = 0;
    for (const double fraction : done->busy_fraction) busy += fraction * done->duration.count;
    times.busy.push_back(busy);
  };
  const auto result = runtime::train_on_cpu(model, plan, schedule_for(plan, Order::policy_b), options, sink);
  if (!result) std::fprintf(stderr, "%s\n", result.error().text().c_str());
}

/// The kernels of a step in a loop on one thread: no lanes, transfers, events or clocks.
void run_bare(const ModelSpec& model, const Plan& plan, std::vector<double>& times) {
  const auto layers = std::move(runtime::layers::make_layers(model, runtime::cpu::cpu_kernel_registry()).value());
  const auto loss = runtime::layers::SoftmaxCrossEntropy::of(model, layers.back()->output_width()).value();
  const auto source = std::move(runtime::data::make_source(model).value());
  const auto memory = std::make_shared<runtime::tensor::DeviceMemory>();
  std::vector<runtime::exec::LayerStates> states;
  for (const auto& layer : layers) states.push_back({layer->parameters(), 0});
  runtime::exec::StateSeat alone;
  runtime::exec::StageModule module({.layers = layers,
                                     .recompute = {},
                                     .loss = runtime::cpu::processor_loss(loss),
                                     .loss_scale = 1e-3f,
                                     .first = true},
                                    std::make_shared<const runtime::exec::StateExchange>(
                                        runtime::exec::StatePieces(states, {alone, alone, {}}), alone,
                                        runtime::exec::StateGroups{}, runtime::exec::StateGroups{}),
                                    {}, memory);
  module.initialise(model.seed, 0);
  runtime::tensor::OptimizerState optimizer(plan.optimizer, model.learning_rate, module.parameters().size(), memory);
  const auto batch = [&](std::int64_t width, bool targets) {
    runtime::tensor::Tensor values(memory, plan.micro_batch, width);
    for (std::size_t i = 0; i < static_cast<std::size_t>(plan.micro_batch); ++i) {
      const auto sample = values.values().subspan(i * static_cast<std::size_t>(width), static_cast<std::size_t>(width));
      targets ? source->target(i, sample) : source->input(i, sample);
    }
    return values;
  };
  for (int step = 0; step <= steps_a_round; ++step) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < plan.micro_batches; ++i) {
      module.forward(i, batch(layers.front()->input_width(), false), batch(loss.sequence(), true), module.version());
      module.backward(i, {}, true);
    }
    optimizer.update(module.advance_version(false), module.gradients());
    if (step > 0) times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}

void bench(const ModelSpec& model, int micro_batch, int micro_batches) {
  const Profile profile = runtime::profile::profile_on_cpu(model, {micro_batch}).value();
  const Plan one = plan_for(model, {1}, micro_batch, micro_batches);
  Plan two = plan_for(model, {1, 1}, micro_batch, micro_batches);
  two.stages[0].last = two.stages[1].first = balanced_cut(profile);
  Seconds predicted;
  for (const Layer& layer : profile.layers) predicted += double(micro_batches) * (layer.forward + layer.backward);

  RunTimes on_one, on_two;
  std::vector<double> bare;
  for (int round = 0; round < rounds; ++round) {
    runtime::cpu::run_on_worker_thread([&] { run_bare(model, one, bare); });
    run(model, one, on_one);
    run(model, two, on_two);
  }
  const double t1 = median(on_one.steps), t2 = median(on_two.steps), t0 = median(bare);
  std::printf("%s, %d micro-batches of %d, cut %d:%d\n", model.name.c_str(), micro_batches, micro_batch,
              two.stages[0].last, two.stages[1].last - two.stages[1].first);
  std::printf("  one stage on one core    %8.2f ms a step\n", t1 * 1e3);
  std::printf(
      "  two stages on two cores  %8.2f ms a step, %.2f times as fast (two cores at most %.2f, for the bubble)\n",
      t2 * 1e3, t1 / t2, 2.0 * micro_batches / (micro_batches + 1));
  std::printf("  kernels, bare in a loop  %8.2f ms a step; a one-stage step takes %+.1f %%\n", t0 * 1e3,
              (t1 / t0 - 1) * 100);
  std::printf("  layers by the profile    %8.2f ms a step; the kernels' share of the one-stage step %8.2f ms\n\n",
              in_milliseconds(predicted), median(on_one.busy) * 1e3);
}

}  // namespace

/// bench_runtime [PART OF A NAME]: those models only.
int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  const auto run_named = [&](const char* name, ModelSpec model, int micro_batch) {
    model.name = name;
    if (model.name.find(wanted) != std::string::npos) bench(model, micro_batch, 16);
  };
  run_named("GPT of 4 blocks, hidden 128, sequence 64", small_gpt(4, 128, 64, 96), 4);
  run_named("MLP of 8 layers, hidden 512", small_mlp(512, 8, 256, 64), 64);
  run_named("VGG of 2 convolutions, 32 and 64 channels, 32 x 32 pixels", small_cnn(false, 32, 32), 8);
  run_named("ResNet of 2 blocks, 32 and 64 channels, 32 x 32 pixels", small_cnn(true, 32, 32), 8);
  run_named("LSTM of 3 layers, hidden 128, sequence 32", small_lstm(2, 128, 32, 96), 8);
}
