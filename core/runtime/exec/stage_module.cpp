// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/stage_module.hpp"

#include <utility>

#include "core/runtime/layers/shard.hpp"

namespace pipedeck::runtime::exec {

StageModule::StageModule(StageShape shape, std::shared_ptr<tensor::DeviceMemory> memory)
    : shape_(std::move(shape)), memory_(std::move(memory)), offsets_{0} {
  for (const auto& layer : shape_.layers) offsets_.push_back(offsets_.back() + layer->parameters());
  parameters_ = std::make_shared<tensor::Tensor>(tensor::Tensor::zeros(memory_, 1, offsets_.back()));
  gradients_ = tensor::Tensor::zeros(memory_, 1, offsets_.back());
}

std::span<float> StageModule::part(tensor::Tensor& of, std::size_t layer) const {
  return of.values().subspan(static_cast<std::size_t>(offsets_[layer]),
                             static_cast<std::size_t>(offsets_[layer + 1] - offsets_[layer]));
}

std::span<const float> StageModule::part(const tensor::Tensor& of, std::size_t layer) const {
  return of.values().subspan(static_cast<std::size_t>(offsets_[layer]),
                             static_cast<std::size_t>(offsets_[layer + 1] - offsets_[layer]));
}

void StageModule::initialise(std::uint64_t seed, int first_layer) {
  for (std::size_t i = 0; i < shape_.layers.size(); ++i)
    memory_->device().upload(part(*parameters_, i), [&](std::span<float> values) {
      shape_.layers[i]->initialise(values, Random(seed, static_cast<std::uint64_t>(first_layer) + i));
    });
}

void StageModule::load(std::span<const std::vector<float>> whole_layers, int first_layer) {
  for (std::size_t i = 0; i < shape_.layers.size(); ++i)
    memory_->device().upload(part(*parameters_, i), [&](std::span<float> values) {
      layers::extract_blocks(shape_.layers[i]->blocks(), whole_layers[static_cast<std::size_t>(first_layer) + i],
                             values);
    });
}

tensor::Tensor& StageModule::advance_version(bool keep) {
  if (keep) kept_[version_] = parameters_;
  if (parameters_.use_count() > 1) {
    auto next = std::make_shared<tensor::Tensor>(parameters_->empty_like());
    memory_->device().copy(next->data(), parameters_->data(), next->size());
    parameters_ = std::move(next);
  }
  ++version_;
  return *parameters_;
}

void StageModule::scale_gradients(float factor) {
  if (factor == 1) return;
  memory_->device().scale(gradients_.values(), factor);
}

std::span<float> StageModule::gradients_of(std::size_t first, std::size_t last) {
  return gradients_.values().subspan(static_cast<std::size_t>(offsets_[first]),
                                     static_cast<std::size_t>(offsets_[last] - offsets_[first]));
}

tensor::Tensor& StageModule::older_version(int version) {
  auto& kept = kept_[version];
  if (!kept) kept = std::make_shared<tensor::Tensor>(parameters_->empty_like());
  return *kept;
}

void StageModule::drop_versions_before(int version) { kept_.erase(kept_.begin(), kept_.lower_bound(version)); }

void StageModule::run(PassKind kind, MicroBatch& of, const LayerDone& done, const std::function<void()>& work) {
  passes_ ? passes_->run(kind, of.weights.get(), of.tensors, !done, work) : work();
}

tensor::Tensor StageModule::run_forward(MicroBatch& kept, std::size_t layer, tensor::Tensor input) {
  layers::SavedTensors& saved = kept.tensors.layers[layer];
  saved.loss_scale = shape_.loss_scale;
  return shape_.layers[layer]->forward(std::move(input), part(*kept.weights, layer), saved);
}

tensor::Tensor StageModule::forward(int micro_batch, tensor::Tensor input, tensor::Tensor targets, int version) {
  MicroBatch& kept = micro_batches_[micro_batch];
  kept.weights = version == version_ ? parameters_ : kept_.at(version);
  kept.tensors.value = std::move(input), kept.tensors.targets = std::move(targets);
  kept.tensors.layers.resize(shape_.layers.size());
  run(PassKind::forward, kept, {}, [&] { run_layers_forward(kept); });
  loss_ = std::move(kept.tensors.loss);
  return std::move(kept.tensors.value);
}

void StageModule::run_layers_forward(MicroBatch& kept) {
  PassTensors& tensors = kept.tensors;
  tensor::Tensor value = std::move(tensors.value);
  auto segment = shape_.recompute.begin();
  for (std::size_t i = 0; i < shape_.layers.size(); ++i) {
    value = run_forward(kept, i, std::move(value));
    const int layer = static_cast<int>(i);
    if (segment == shape_.recompute.end() || layer < segment->first) continue;
    // A segment of recomputed layers restarts from its first layer's input.
    tensors.layers[i].tensors.resize(layer == segment->first ? 1 : 0);
    if (layer + 1 == segment->last) ++segment;
  }
  if (!shape_.loss) {
    tensors.value = std::move(value);
    return;
  }
  tensors.loss = shape_.loss->forward(value, tensors.targets);
  if (reruns_loss()) return;
  tensors.targets.release();
  tensors.logits = std::move(value);
}

void StageModule::recompute(int micro_batch) {
  if (reruns_in_backward()) return;
  MicroBatch& kept = micro_batches_.at(micro_batch);
  run(PassKind::recompute, kept, {}, [&] {
    for (const plan::RecomputedSegment& segment : shape_.recompute) rerun_forward(kept, segment);
  });
}

void StageModule::rerun_forward(MicroBatch& kept, const plan::RecomputedSegment& segment) {
  PassTensors& tensors = kept.tensors;
  const auto first = static_cast<std::size_t>(segment.first), last = static_cast<std::size_t>(segment.last);
  tensor::Tensor value = std::move(tensors.layers[first].tensors[0]);
  tensors.layers[first].tensors.clear();
  for (std::size_t i = first; i < last; ++i) value = run_forward(kept, i, std::move(value));
  if (!shape_.loss || last != layers()) return;
  shape_.loss->forward(value, tensors.targets);
  tensors.targets.release();
  tensors.logits = std::move(value);
}

tensor::Tensor StageModule::backward(int micro_batch, tensor::Tensor gradient, bool weights_too, const LayerDone& done,
                                     RerunTimes* reruns) {
  MicroBatch& kept = micro_batches_.at(micro_batch);
  kept.tensors.value = std::move(gradient);
  run(weights_too ? PassKind::backward : PassKind::backward_input, kept, done,
      [&] { run_layers_backward(kept, weights_too, done, passes_ ? nullptr : reruns); });
  tensor::Tensor given = std::move(kept.tensors.value);
  kept.weights.reset();
  if (weights_too) micro_batches_.erase(micro_batch);
  return given;
}

void StageModule::run_layers_backward(MicroBatch& kept, bool weights_too, const LayerDone& done, RerunTimes* reruns) {
  PassTensors& tensors = kept.tensors;
  tensor::Tensor gradient = std::move(tensors.value);
  auto segment = shape_.recompute.rbegin();
  for (std::size_t i = shape_.layers.size(); i-- > 0;) {
    if (shape_.by_block && segment != shape_.recompute.rend() && segment->last == static_cast<int>(i) + 1) {
      if (reruns) reruns->emplace_back(memory_->device().now(), tensor::Completion{});
      rerun_forward(kept, *segment++);
      if (reruns) reruns->back().second = memory_->device().now();
    }
    if (shape_.loss && i + 1 == layers())
      gradient = shape_.loss->backward(std::move(tensors.logits), shape_.loss_scale);
    const bool wanted = i > 0 || !shape_.first;
    layers::SavedTensors& saved = tensors.layers[i];
    gradient = shape_.layers[i]->backward_input(std::move(gradient), part(*kept.weights, i), saved, wanted);
    if (!weights_too) continue;
    shape_.layers[i]->backward_weight(saved, part(gradients_, i));
    if (done) done(i);
  }
  tensors.value = std::move(gradient);
}

void StageModule::backward_weight(int micro_batch, const LayerDone& done) {
  MicroBatch& kept = micro_batches_.at(micro_batch);
  run(PassKind::backward_weight, kept, done, [&] {
    for (std::size_t i = shape_.layers.size(); i-- > 0;) {
      shape_.layers[i]->backward_weight(kept.tensors.layers[i], part(gradients_, i));
      if (done) done(i);
    }
  });
  micro_batches_.erase(micro_batch);
}

void StageModule::add_parameters(int first, std::vector<LayerParameters>& to) const {
  for (std::size_t i = 0; i < shape_.layers.size(); ++i) {
    const layers::LayerKernel& layer = *shape_.layers[i];
    std::vector<float> values(static_cast<std::size_t>(layer.parameters()));
    memory_->device().download(values, part(parameters(), i).data());
    to.push_back({first + static_cast<int>(i), layer.replicated_parameters(), layer.blocks(), std::move(values)});
  }
}

}  // namespace pipedeck::runtime::exec
