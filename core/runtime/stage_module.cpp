// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stage_module.hpp"

#include <utility>

namespace pipedeck {

StageModule::StageModule(StageShape shape, std::shared_ptr<DeviceMemory> memory)
    : shape_(std::move(shape)), memory_(std::move(memory)), offsets_{0} {
  for (const auto& layer : shape_.layers) offsets_.push_back(offsets_.back() + layer->parameters());
  parameters_ = std::make_shared<Tensor>(Tensor::zeros(memory_, 1, offsets_.back()));
  gradients_ = Tensor::zeros(memory_, 1, offsets_.back());
}

std::span<float> StageModule::part(Tensor& of, std::size_t layer) const {
  return of.values().subspan(static_cast<std::size_t>(offsets_[layer]),
                             static_cast<std::size_t>(offsets_[layer + 1] - offsets_[layer]));
}

std::span<const float> StageModule::part(const Tensor& of, std::size_t layer) const {
  return of.values().subspan(static_cast<std::size_t>(offsets_[layer]),
                             static_cast<std::size_t>(offsets_[layer + 1] - offsets_[layer]));
}

void StageModule::initialise(std::uint64_t seed, int first_layer) {
  for (std::size_t i = 0; i < shape_.layers.size(); ++i)
    memory_->device().upload(part(*parameters_, i), [&](std::span<float> values) {
      shape_.layers[i]->initialise(values, Random(seed, static_cast<std::uint64_t>(first_layer) + i));
    });
}

Tensor& StageModule::next_version(bool keep) {
  if (keep) kept_[version_] = parameters_;
  if (parameters_.use_count() > 1) {
    auto next = std::make_shared<Tensor>(parameters_->like());
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

Tensor& StageModule::older_version(int version) {
  auto& kept = kept_[version];
  if (!kept) kept = std::make_shared<Tensor>(parameters_->like());
  return *kept;
}

void StageModule::forget_before(int version) { kept_.erase(kept_.begin(), kept_.lower_bound(version)); }

Tensor StageModule::run_forward(MicroBatch& kept, std::size_t layer, Tensor input) {
  return shape_.layers[layer]->forward(std::move(input), part(*kept.weights, layer), kept.layers[layer]);
}

Tensor StageModule::forward(int micro_batch, Tensor input, Tensor targets, int version) {
  MicroBatch& kept = micro_batches_[micro_batch];
  kept.weights = version == version_ ? parameters_ : kept_.at(version);
  kept.layers.resize(shape_.layers.size());
  Tensor value = std::move(input);
  for (std::size_t i = 0; i < shape_.layers.size(); ++i) {
    value = run_forward(kept, i, std::move(value));
    if (!shape_.recompute[i]) continue;
    // A run of recomputed layers begins again from its first one's input.
    const bool begins = i == 0 || !shape_.recompute[i - 1];
    kept.layers[i].tensors.resize(begins ? 1 : 0);
  }
  if (!shape_.loss) return value;
  loss_ = shape_.loss->forward(value, targets);
  if (shape_.recompute.back())
    kept.targets = std::move(targets);
  else
    kept.logits = std::move(value);
  return {};
}

void StageModule::recompute(int micro_batch) {
  MicroBatch& kept = micro_batches_.at(micro_batch);
  Tensor value;
  for (std::size_t i = 0; i < shape_.layers.size(); ++i) {
    if (!shape_.recompute[i]) continue;
    if (i == 0 || !shape_.recompute[i - 1]) {
      value = std::move(kept.layers[i].tensors[0]);
      kept.layers[i].tensors.clear();
    }
    value = run_forward(kept, i, std::move(value));
  }
  if (!shape_.loss || !shape_.recompute.back()) return;
  shape_.loss->forward(value, kept.targets);
  kept.targets.release();
  kept.logits = std::move(value);
}

Tensor StageModule::backward(int micro_batch, Tensor gradient, bool weights_too, const LayerDone& done) {
  MicroBatch& kept = micro_batches_.at(micro_batch);
  if (shape_.loss) gradient = shape_.loss->backward(std::move(kept.logits), shape_.loss_scale);
  for (std::size_t i = shape_.layers.size(); i-- > 0;) {
    const bool wanted = i > 0 || !shape_.first;
    gradient = shape_.layers[i]->backward_input(std::move(gradient), part(*kept.weights, i), kept.layers[i], wanted);
    if (!weights_too) continue;
    shape_.layers[i]->backward_weight(kept.layers[i], part(gradients_, i));
    if (done) done(i);
  }
  kept.weights.reset();
  if (weights_too) micro_batches_.erase(micro_batch);
  return gradient;
}

void StageModule::backward_weight(int micro_batch, const LayerDone& done) {
  MicroBatch& kept = micro_batches_.at(micro_batch);
  for (std::size_t i = shape_.layers.size(); i-- > 0;) {
    shape_.layers[i]->backward_weight(kept.layers[i], part(gradients_, i));
    if (done) done(i);
  }
  micro_batches_.erase(micro_batch);
}

void StageModule::add_parameters(int first, std::vector<LayerParameters>& to) const {
  for (std::size_t i = 0; i < shape_.layers.size(); ++i) {
    const LayerKernel& layer = *shape_.layers[i];
    std::vector<float> values(static_cast<std::size_t>(layer.parameters()));
    memory_->device().download(values, part(parameters(), i).data());
    to.push_back({first + static_cast<int>(i), layer.whole_parameters(), layer.blocks(), std::move(values)});
  }
}

}  // namespace pipedeck
