// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/profile/chain_timer.hpp"

#include <utility>

namespace pipedeck {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

ChainTimer::ChainTimer(const std::vector<std::unique_ptr<LayerKernel>>& layers, const SoftmaxCrossEntropy& loss,
                       const SampleSource& source, std::uint64_t seed, int samples, CountedCollective* group,
                       ChainEnds ends)
    : layers_(layers),
      loss_(loss),
      source_(source),
      samples_(samples),
      group_(group),
      ends_(ends),
      seen_(layers.size()) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    parameters_.emplace_back(static_cast<std::size_t>(layers[i]->parameters()));
    gradients_.push_back(parameters_.back());
    layers[i]->initialise(parameters_.back(), Random(seed, i));
  }
}

void ChainTimer::warm_up() {
  run_once();
  for (LayerSamples& layer : seen_) layer = {};
}

void ChainTimer::run_once() {
  if (group_) group_->gather_members();
  auto start = Clock::now();
  Tensor value = samples(false);
  making_input_ = since(start);
  start = Clock::now();
  const Tensor targets = ends_.last ? samples(true) : Tensor();
  making_targets_ = since(start);
  std::vector<Saved> saved(layers_.size());
  for (std::size_t i = 0; i < layers_.size(); ++i) value = forward(i, std::move(value), targets, saved[i]);
  if (!ends_.last) value = Tensor::zeros(memory_, samples_, layers_.back()->output_width());
  for (std::size_t i = layers_.size(); i-- > 0;) value = backward(i, std::move(value), saved[i]);
}

Tensor ChainTimer::samples(bool targets) const {
  if (!targets && !ends_.first) return Tensor::zeros(memory_, samples_, layers_.front()->input_width());
  Tensor values(memory_, samples_, targets ? loss_.sequence() : layers_.front()->input_width());
  const auto width = static_cast<std::size_t>(values.width());
  for (std::size_t i = 0; i < static_cast<std::size_t>(samples_); ++i) {
    const auto sample = values.values().subspan(i * width, width);
    targets ? source_.target(i, sample) : source_.input(i, sample);
  }
  return values;
}

CountedCollective::Taken ChainTimer::all_reduced() const {
  return group_ ? group_->take_all_reduced() : CountedCollective::Taken();
}

/// The loss is counted into the last layer: it has no stage of its own.
Tensor ChainTimer::forward(std::size_t layer, Tensor value, const Tensor& targets, Saved& saved) {
  LayerSamples& seen = seen_[layer];
  const bool last = ends_with_loss(layer);
  const Bytes before = memory_->in_use() - value.bytes() - (last ? targets.bytes() : Bytes());
  memory_->restart_peak();
  const auto start = Clock::now();
  value = layers_[layer]->forward(std::move(value), parameters_[layer], saved);
  if (last) loss_.forward(value, targets);
  const double took = since(start) + (layer == 0 ? making_input_ : 0) + (last ? making_targets_ : 0);
  seen.forward_all_reduced = all_reduced();
  seen.forward.push_back(took - seen.forward_all_reduced.moving.count);
  seen.memory.input = saved.tensors.front().bytes();
  seen.output = value.bytes();
  seen.saved = saved.bytes() + (last ? value.bytes() : Bytes());
  seen.memory.forward = memory_->peak() - before - seen.saved;
  if (last) seen.memory.recompute_saved = targets.bytes();
  return value;
}

Tensor ChainTimer::backward(std::size_t layer, Tensor value, Saved& saved) {
  LayerSamples& seen = seen_[layer];
  const Bytes before = memory_->in_use();
  memory_->restart_peak();
  auto start = Clock::now();
  if (ends_with_loss(layer))
    value = loss_.backward(std::move(value), 1.0f / static_cast<float>(samples_ * loss_.sequence()));
  value = layers_[layer]->backward_input(std::move(value), parameters_[layer], saved, layer > 0 || !ends_.first);
  const double took = since(start);
  seen.backward_all_reduced = all_reduced();
  seen.backward_input.push_back(took - seen.backward_all_reduced.moving.count);
  seen.memory.weight_saved = saved.bytes();
  start = Clock::now();
  layers_[layer]->backward_weight(saved, gradients_[layer]);
  seen.backward_weight.push_back(since(start));
  seen.memory.backward = memory_->peak() - before;
  return value;
}

}  // namespace pipedeck
