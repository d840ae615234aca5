// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/profiler.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/machine.hpp"
#include "core/runtime/model_parts.hpp"
#include "core/runtime/thread_of_its_own.hpp"

namespace pipedeck {
namespace {

using Clock = std::chrono::steady_clock;

Seconds since(Clock::time_point start) { return Seconds(std::chrono::duration<double>(Clock::now() - start).count()); }

Seconds median(std::vector<Seconds> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// What was seen of one layer at one micro-batch size.
struct LayerSamples {
  std::vector<Seconds> forward, backward_input, backward_weight;
  Bytes output, saved;
  LayerMemory memory;
};

/// The whole chain forward and backward, as a device that holds all of it would run it: so every layer finds the caches
/// as it does in training.
class ChainTimer {
 public:
  ChainTimer(const std::vector<std::unique_ptr<LayerKernel>>& layers, const SoftmaxCrossEntropy& loss,
             const SampleSource& source, std::uint64_t seed, int samples)
      : layers_(layers), loss_(loss), source_(source), samples_(samples), seen_(layers.size()) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      parameters_.emplace_back(static_cast<std::size_t>(layers[i]->parameters()));
      gradients_.push_back(parameters_.back());
      layers[i]->initialise(parameters_.back(), Random(seed, i));
    }
  }

  /// Not counted: caches, memory and oneDNN's code have yet to be made.
  void warm_up() {
    run_once();
    for (LayerSamples& layer : seen_) layer = {};
  }

  void run_once() {
    Tensor value = samples(false), targets = samples(true);
    std::vector<Saved> saved(layers_.size());
    for (std::size_t i = 0; i < layers_.size(); ++i) value = forward(i, std::move(value), targets, saved[i]);
    for (std::size_t i = layers_.size(); i-- > 0;) value = backward(i, std::move(value), saved[i]);
  }

  const std::vector<LayerSamples>& seen() const { return seen_; }

 private:
  Tensor samples(bool targets) const {
    Tensor values(memory_, samples_, targets ? loss_.sequence() : layers_.front()->input_width());
    const auto width = static_cast<std::size_t>(values.width());
    for (std::size_t i = 0; i < static_cast<std::size_t>(samples_); ++i) {
      const auto sample = values.values().subspan(i * width, width);
      targets ? source_.target(i, sample) : source_.input(i, sample);
    }
    return values;
  }

  /// The loss is counted into the last layer: it has no stage of its own.
  Tensor forward(std::size_t layer, Tensor value, const Tensor& targets, Saved& saved) {
    LayerSamples& seen = seen_[layer];
    const bool last = layer + 1 == layers_.size();
    const Bytes before = memory_->in_use() - value.bytes() - (last ? targets.bytes() : Bytes());
    memory_->restart_peak();
    const auto start = Clock::now();
    value = layers_[layer]->forward(std::move(value), parameters_[layer], saved);
    if (last) loss_.forward(value, targets);
    seen.forward.push_back(since(start));
    seen.memory.input = saved.tensors.front().bytes();
    seen.output = value.bytes();
    seen.saved = saved.bytes() + (last ? value.bytes() : Bytes());
    seen.memory.forward = memory_->peak() - before - seen.saved;
    if (last) seen.memory.recompute_saved = targets.bytes();
    return value;
  }

  Tensor backward(std::size_t layer, Tensor value, Saved& saved) {
    LayerSamples& seen = seen_[layer];
    const Bytes before = memory_->in_use();
    memory_->restart_peak();
    auto start = Clock::now();
    if (layer + 1 == layers_.size())
      value = loss_.backward(std::move(value), 1.0f / static_cast<float>(samples_ * loss_.sequence()));
    value = layers_[layer]->backward_input(std::move(value), parameters_[layer], saved, layer > 0);
    seen.backward_input.push_back(since(start));
    seen.memory.weight_saved = saved.bytes();
    start = Clock::now();
    layers_[layer]->backward_weight(saved, gradients_[layer]);
    seen.backward_weight.push_back(since(start));
    seen.memory.backward = memory_->peak() - before;
    return value;
  }

  const std::vector<std::unique_ptr<LayerKernel>>& layers_;
  const SoftmaxCrossEntropy& loss_;
  const SampleSource& source_;
  int samples_;
  std::shared_ptr<DeviceMemory> memory_ = std::make_shared<DeviceMemory>();
  std::vector<std::vector<float>> parameters_, gradients_;
  std::vector<LayerSamples> seen_;
};

/// Repetitions: for half a second, but at least 7 and no more than 200.
Result<void> repeat(ChainTimer& timer, const std::stop_token& stop) {
  constexpr int least = 7, most = 200;
  constexpr Seconds enough{0.5};
  timer.warm_up();
  timer.warm_up();
  const auto start = Clock::now();
  for (int i = 0; i < most && (i < least || since(start) < enough); ++i) {
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "profiling was stopped");
    timer.run_once();
  }
  return {};
}

void add_point(Profile& profile, const std::vector<LayerSamples>& seen, int micro_batch) {
  for (std::size_t i = 0; i < seen.size(); ++i) {
    Layer& layer = profile.layers[i];
    const Seconds forward = median(seen[i].forward), weight = median(seen[i].backward_weight);
    const Seconds backward = median(seen[i].backward_input) + weight;
    layer.at.push_back({micro_batch, forward, backward});
    if (micro_batch != profile.micro_batch) continue;
    layer.forward = forward, layer.backward = backward, layer.backward_weight = weight;
    layer.output = seen[i].output, layer.saved = seen[i].saved, layer.memory = seen[i].memory;
    layer.workspace = std::max(layer.memory->forward, layer.memory->backward);
  }
}

/// Where the straight line through both needs meets no samples at all, rounded up: a need is the largest of several
/// lines, and between the two measured sizes no higher than that one.
Bytes fixed_part(Bytes of_one, Bytes of_all, int samples) {
  const std::int64_t rest = of_one.count * samples - of_all.count;
  return std::clamp(Bytes((rest + samples - 2) / (samples - 1)), Bytes(), of_all);
}

/// What does not grow with the samples, from one more pass over a single one.
void add_fixed_parts(Profile& profile, const std::vector<LayerSamples>& of_one) {
  for (std::size_t i = 0; i < of_one.size(); ++i) {
    LayerMemory& memory = *profile.layers[i].memory;
    const LayerMemory& one = of_one[i].memory;
    // Repacked weights are as large for one sample, which frees less before they are made: then it needs more.
    memory.forward = std::max(memory.forward, one.forward);
    memory.backward = std::max(memory.backward, one.backward);
    profile.layers[i].workspace = std::max(memory.forward, memory.backward);
    memory.forward_fixed = fixed_part(one.forward, memory.forward, profile.micro_batch);
    memory.backward_fixed = fixed_part(one.backward, memory.backward, profile.micro_batch);
  }
}

Result<void> check_sizes(const std::vector<int>& micro_batches) {
  if (micro_batches.empty()) return fail(ErrorCode::bad_usage, "profiling needs at least one micro-batch size");
  for (std::size_t i = 0; i < micro_batches.size(); ++i)
    if (micro_batches[i] < 1 || (i > 0 && micro_batches[i] <= micro_batches[i - 1]))
      return fail(ErrorCode::bad_usage,
                  fmt::format("micro-batch size {}: sizes are 1 or more, ascending", micro_batches[i]));
  return {};
}

Profile empty_profile(const ModelSpec& model, const std::vector<std::unique_ptr<LayerKernel>>& kernels,
                      int micro_batch) {
  Profile profile;
  profile.name = model.name;
  profile.source = "measured on one thread of this machine's CPU, fp32";
  profile.device = cpu_device_type;
  profile.micro_batch = micro_batch;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    Layer layer;
    layer.name = model.layers[i].name;
    layer.kind = model.layers[i].kind;
    layer.parameters = Bytes(kernels[i]->parameters() * static_cast<std::int64_t>(sizeof(float)));
    profile.layers.push_back(std::move(layer));
  }
  return profile;
}

}  // namespace

Result<Profile> profile_on_cpu(const ModelSpec& model, const std::vector<int>& micro_batches, const Progress& progress,
                               std::stop_token stop) {
  if (auto checked = check_sizes(micro_batches); !checked) return tl::unexpected(checked.error());
  const auto parts = make_parts(model, cpu_kernels());
  if (!parts) return tl::unexpected(parts.error());

  Profile profile = empty_profile(model, parts->layers, micro_batches.front());
  for (std::size_t i = 0; i < micro_batches.size(); ++i) {
    report(progress, static_cast<double>(i) / static_cast<double>(micro_batches.size()),
           fmt::format("timing micro-batches of {}", micro_batches[i]));
    ChainTimer timer(parts->layers, parts->loss, *parts->source, model.seed, micro_batches[i]);
    Result<void> timed;
    on_one_core([&] { timed = repeat(timer, stop); });
    if (!timed) return tl::unexpected(timed.error());
    add_point(profile, timer.seen(), micro_batches[i]);
  }
  if (profile.micro_batch > 1) {
    ChainTimer single(parts->layers, parts->loss, *parts->source, model.seed, 1);
    single.run_once();
    add_fixed_parts(profile, single.seen());
  }
  report(progress, 1, "done");
  return profile;
}

}  // namespace pipedeck
