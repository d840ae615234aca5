// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/profile/chain_timer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include "core/runtime/cpu/softmax_cross_entropy.hpp"

namespace pipedeck::runtime::profile {

LayerTimer::LayerTimer(std::span<const std::unique_ptr<layers::LayerKernel>> layers,
                       const layers::SoftmaxCrossEntropy& loss, const data::SampleSource& source, std::uint64_t seed,
                       int samples, transport::CountingCollective* group, ChainEnds ends, ChainDevice device)
    : layers_(layers),
      positions_(loss.sequence()),
      source_(source),
      samples_(samples),
      group_(group),
      ends_(ends),
      memory_(std::move(device.memory)),
      loss_kernel_(device.loss ? std::move(device.loss) : cpu::processor_loss(loss)),
      rank_(std::move(device.rank)),
      spans_(layers.size()),
      records_(device.records && memory_->device().records() && ends.first && ends.last && !group),
      seen_(layers.size()) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    // As long as in a run, whose layers begin at aligned places: copies of the weights are as long.
    const std::int64_t alignment = memory_->device().parameter_alignment();
    const std::int64_t list = (layers[i]->parameters() + alignment - 1) / alignment * alignment;
    gradients_.push_back(tensor::Tensor::zeros(memory_, 1, scattered() ? 0 : list));
    parameters_.push_back(tensor::Tensor::zeros(memory_, 1, gathered() ? 0 : list));
    if (gathered()) continue;
    memory_->device().upload(of_layer(parameters_.back(), i),
                             [&](std::span<float> values) { layers[i]->initialise(values, Random(seed, i)); });
    copies_.push_back(memory_->device().copy_of_weights(parameters_.back()));
    if (copies_.back()) copies_.back()->refresh();
  }
  if (exec::FrozenParameters* const frozen = this->frozen()) frozen->make_copy();
}

/// Returns the weights that are not trained; null in a chain without a stage.
exec::FrozenParameters* LayerTimer::frozen() const { return rank_ ? rank_->module->frozen() : nullptr; }

/// Returns a layer's values in a list of them.
std::span<float> LayerTimer::of_layer(tensor::Tensor& list, std::size_t layer) const {
  return list.values().first(static_cast<std::size_t>(layers_[layer]->parameters()));
}

/// Times work. A device's own queue records when it begins and ends.
template <class Work>
LayerTimer::Span LayerTimer::timed(const Work& work) {
  Span span{memory_->device().now(), {}};
  work();
  span.end = memory_->device().now();
  return span;
}

/// Runs or captures a layer's pass. A captured pass is timed when it is launched.
template <class Work>
void LayerTimer::pass(Span& time, const Work& work) {
  if (recording_)
    passes_.push_back({&time, memory_->device().record(work)});
  else
    time = timed(work);
}

void LayerTimer::warm_up() {
  run_chain();
  collect_times();
  for (LayerSamples& layer : seen_) layer = {};
  warm_ = true;
}

/// Runs a repetition. Capturing reuses the blocks and library workspaces that a previous repetition allocated.
void LayerTimer::run_once() {
  if (std::ranges::any_of(passes_, [](const Pass& pass) { return !pass.work->valid(); })) passes_.clear();
  if (records_ && warm_ && passes_.empty()) record_chain();
  if (passes_.empty() || !launch_passes()) run_chain();
  collect_times();
}

/// Captures the passes. No other user allocates from this memory, so the blocks of the passes stay available.
void LayerTimer::record_chain() {
  recording_ = true;
  try {
    run_chain();
  } catch (const std::runtime_error& error) {  // of the device: nothing was executed
    abandon_capture(error.what());
  }
  recording_ = false;
}

void LayerTimer::abandon_capture(const char* why) {
  passes_.clear();
  records_ = false;
  not_captured_reason_ = why;
}

/// Returns false if launching fails, for example because the device lacks memory.
bool LayerTimer::launch_passes() try {
  tensor::ComputeDevice& device = memory_->device();
  making_input_ = timed([&] { write_samples(input_, false); });
  making_targets_ = timed([&] { write_samples(targets_, true); });
  tensor::Completion begin = making_targets_.end;
  for (const Pass& pass : passes_) {
    pass.work->launch();
    *pass.time = {begin, device.now()};
    begin = pass.time->end;
  }
  return true;
} catch (const std::runtime_error& error) {
  abandon_capture(error.what());
  return false;
}

void LayerTimer::run_chain() {
  if (group_) group_->barrier();
  tensor::Tensor value, targets;
  making_input_ = timed([&] { value = samples(false); });
  making_targets_ = timed([&] { targets = ends_.last ? samples(true) : tensor::Tensor(); });
  input_ = value.values(), targets_ = targets.values();
  std::vector<layers::SavedTensors> saved(layers_.size());
  for (std::size_t i = 0; i < layers_.size(); ++i) value = forward(i, std::move(value), targets, saved[i]);
  if (!ends_.last) value = tensor::Tensor::zeros(memory_, samples_, layers_.back()->output_width());
  for (std::size_t i = layers_.size(); i-- > 0;) value = backward(i, std::move(value), saved[i]);
  ++runs_;
}

void LayerTimer::collect_times() {
  memory_->device().synchronise();
  collective_durations();
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    LayerSamples& seen = seen_[i];
    seen.forward.push_back(spans_[i].forward.seconds() + (i == 0 ? making_input_.seconds() : 0) +
                           (ends_with_loss(i) ? making_targets_.seconds() : 0) - seen.forward_all_reduced.moving.count);
    seen.backward_input.push_back(spans_[i].backward_input.seconds() - seen.backward_all_reduced.moving.count);
    seen.backward_weight.push_back(spans_[i].backward_weight.seconds());
  }
}

/// Adds the durations of the collectives, which the device's queue measured in the chain's order.
void LayerTimer::collective_durations() {
  const std::vector<Seconds> each = group_ ? group_->collective_durations() : std::vector<Seconds>();
  if (each.empty()) return;
  auto next = each.begin();
  const auto take = [&](transport::CountingCollective::Taken& taken) {
    for (int i = 0; i < taken.meetings && next != each.end(); ++i) taken.moving += *next++;
  };
  for (LayerSamples& layer : seen_) take(layer.forward_all_reduced);
  for (std::size_t i = seen_.size(); i-- > 0;) take(seen_[i].backward_all_reduced);
}

void LayerTimer::write_samples(std::span<float> to, bool targets) const {
  const std::size_t width = to.size() / static_cast<std::size_t>(samples_);
  const std::size_t row = rank_ ? width / static_cast<std::size_t>(positions_) : 0;  // of a position
  std::vector<float> whole(rank_ ? row * static_cast<std::size_t>(rank_->sequence) : 0);
  const std::uint64_t first = rank_ ? rank_->first_sample + runs_ * rank_->micro_batch : 0;
  memory_->device().upload(to, [&](std::span<float> all) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(samples_); ++i) {
      const auto own = all.subspan(i * width, width), sample = rank_ ? std::span(whole) : own;
      targets ? source_.target(first + i, sample) : source_.input(first + i, sample);
      auto next = own.begin();
      for (const layers::ShardRange& range : rank_ ? rank_->positions : std::vector<layers::ShardRange>())
        next = std::ranges::copy(sample.subspan(static_cast<std::size_t>(range.first) * row,
                                                static_cast<std::size_t>(range.count) * row),
                                 next)
                   .out;
    }
  });
}

tensor::Tensor LayerTimer::samples(bool targets) const {
  if (!targets && !ends_.first) return tensor::Tensor::zeros(memory_, samples_, layers_.front()->input_width());
  tensor::Tensor values(memory_, samples_, targets ? positions_ : layers_.front()->input_width());
  write_samples(values.values(), targets);
  return values;
}

transport::CountingCollective::Taken LayerTimer::all_reduced() const {
  return group_ ? group_->all_reduce_counts() : transport::CountingCollective::Taken();
}

/// Returns a layer's weights, gathered if they are sharded. Begins to gather those of layer `next`.
std::span<const float> LayerTimer::weights(std::size_t layer, std::size_t next) {
  if (!gathered()) return of_layer(parameters_[layer], layer);
  const tensor::Tensor& pieces = std::as_const(*rank_->module).parameters();
  const std::span<const float> whole = gathered()->acquire(layer, pieces);
  if (next < layers_.size()) gathered()->prefetch(next, pieces);
  return whole;
}

/// Returns a layer's weights that are not trained.
std::span<const float> LayerTimer::frozen_weights(std::size_t layer, std::size_t next) {
  exec::FrozenParameters* const frozen = this->frozen();
  if (!frozen) return {};
  const std::span<const float> own = frozen->acquire(layer);
  if (gathered() && next < layers_.size()) frozen->prefetch(next);
  return own;
}

/// Frees weights as a run does (StageModule): those that stay until the backward have two users then.
void LayerTimer::release_weights(std::size_t layer, bool forward) {
  if (!gathered()) return;
  const bool stays = rank_->module->exchange().seat().sharding.reshard == Reshard::after_backward;
  const int times = forward ? (stays ? 0 : 1) : (stays ? 2 : 1);
  for (int i = 0; i < times; ++i) {
    gathered()->release(layer);
    if (rank_->module->frozen()) rank_->module->frozen()->release(layer);
  }
}

/// Returns the bytes of weights that were gathered for this layer while the one before ran.
Bytes LayerTimer::fetched_bytes(std::size_t layer) const {
  const bool ahead = gathered() && gathered()->has_thread() &&
                     rank_->module->exchange().seat().sharding.reshard == Reshard::after_forward;
  if (!ahead) return {};
  std::int64_t fetched = gathered()->holds(layer) ? layers_[layer]->parameters() : 0;
  const exec::FrozenParameters* const frozen = rank_->module->frozen();
  if (frozen && frozen->fetched(layer)) fetched += frozen->whole(layer);
  return Bytes(fetched * static_cast<std::int64_t>(sizeof(float)));
}

void LayerTimer::add_weight_gradient(std::size_t layer, layers::SavedTensors& saved) {
  layers_[layer]->backward_weight(saved, scattered() ? scattered()->begin(layer) : of_layer(gradients_[layer], layer));
  if (scattered()) scattered()->end(layer, rank_->module->gradients());
}

/// The loss counts as part of the last layer: it has no stage of its own.
tensor::Tensor LayerTimer::forward(std::size_t layer, tensor::Tensor value, const tensor::Tensor& targets,
                                   layers::SavedTensors& saved) {
  LayerSamples& seen = seen_[layer];
  const bool last = ends_with_loss(layer);
  const Bytes before = memory_->in_use() - value.bytes() - (last ? targets.bytes() : Bytes()) - fetched_bytes(layer);
  memory_->restart_peak();
  pass(spans_[layer].forward, [&] {
    saved.feeds_loss = last;
    const std::span<const float> own = weights(layer, layer + 1);
    saved.frozen = frozen_weights(layer, layer + 1);
    value = layers_[layer]->forward(std::move(value), own, saved);
    release_weights(layer, true);
    if (rank_) layers_[layer]->discard(saved, rank_->discarded);
    if (last)
      loss_kernel_->forward(value, targets, 1.0f / static_cast<float>(static_cast<std::int64_t>(samples_) * positions_),
                            layers_[layer]->takes_narrow_gradient());
  });
  seen.forward_all_reduced = all_reduced();
  seen.memory.input = saved.tensors.front().bytes();
  seen.output = value.bytes();
  seen.saved = saved.bytes() + (last ? value.bytes() : Bytes());
  seen.memory.forward = memory_->peak() - before - seen.saved;
  if (last) seen.memory.recompute_saved = targets.bytes();
  return value;
}

tensor::Tensor LayerTimer::backward(std::size_t layer, tensor::Tensor value, layers::SavedTensors& saved) {
  LayerSamples& seen = seen_[layer];
  const Bytes before = memory_->in_use() - fetched_bytes(layer);
  memory_->restart_peak();
  pass(spans_[layer].backward_input, [&] {
    const std::span<const float> own = weights(layer, layer - 1);
    saved.frozen = frozen_weights(layer, layer - 1);
    if (rank_ && !rank_->discarded.empty()) layers_[layer]->restore(saved, own, rank_->discarded);
    value = layers_[layer]->backward_input(std::move(value), own, saved, layer > 0 || !ends_.first);
    release_weights(layer, false);
  });
  seen.backward_all_reduced = all_reduced();
  seen.memory.weight_saved = saved.bytes();
  pass(spans_[layer].backward_weight, [&] { add_weight_gradient(layer, saved); });
  seen.memory.backward = memory_->peak() - before;
  if (!gathered() && copies_[layer]) seen.memory.weight_copy = copies_[layer]->bytes();
  if (const exec::FrozenParameters* const frozen = this->frozen()) seen.memory.weight_copy += frozen->copied(layer);
  return value;
}

}  // namespace pipedeck::runtime::profile
