// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/stage_module.hpp"

#include <algorithm>
#include <utility>

#include "core/runtime/layers/shard.hpp"

namespace pipedeck::runtime::exec {

StageModule::StageModule(StageShape shape, std::shared_ptr<const StateExchange> exchange, ShardedStates sharded,
                         std::shared_ptr<tensor::DeviceMemory> memory, std::shared_ptr<FrozenParameters> frozen)
    : shape_(std::move(shape)),
      exchange_(std::move(exchange)),
      sharded_(std::move(sharded)),
      frozen_(std::move(frozen)),
      memory_(std::move(memory)),
      may_copy_(sharded_.weights == nullptr) {
  const StatePieces& pieces = exchange_->pieces();
  const auto zeros = [&](bool in_pieces) {
    return tensor::Tensor::zeros(memory_, 1, in_pieces ? pieces.piece_size() : pieces.list_size());
  };
  parameters_ = std::make_shared<tensor::Tensor>(zeros(sharded_.weights != nullptr));
  gradients_ = zeros(sharded_.gradients != nullptr);
}

std::span<float> StageModule::part(tensor::Tensor& of, std::size_t layer) const {
  const StatePieces& pieces = exchange_->pieces();
  return of.values().subspan(static_cast<std::size_t>(pieces.layer_offset(layer)),
                             static_cast<std::size_t>(pieces.parameters(layer)));
}

std::span<const float> StageModule::part(const tensor::Tensor& of, std::size_t layer) const {
  const StatePieces& pieces = exchange_->pieces();
  return of.values().subspan(static_cast<std::size_t>(pieces.layer_offset(layer)),
                             static_cast<std::size_t>(pieces.parameters(layer)));
}

/// Fills a layer's weights, or the device's piece of them, from `fill`, which writes the whole layer.
void StageModule::fill_weights(std::size_t layer, const std::function<void(std::span<float>)>& fill) {
  if (borrows(layer)) return;
  if (!sharded_.weights) return memory_->device().upload(part(*parameters_, layer), fill);
  std::vector<float> whole(static_cast<std::size_t>(shape_.layers[layer]->parameters()));
  fill(whole);
  for_each_unit(layer, [&](std::size_t unit) {
    memory_->device().upload(own_piece(*parameters_, true, layer, unit), [&](std::span<float> values) {
      std::ranges::copy(exchange_->piece_of(unit, whole), values.begin());
    });
  });
}

void StageModule::initialise(std::uint64_t seed, int first_layer) {
  if (frozen_) frozen_->initialise(seed, first_layer);
  for (std::size_t i = 0; i < shape_.layers.size(); ++i)
    fill_weights(i, [&](std::span<float> values) {
      const auto [layer, whole] = stored_in(first_layer, i);
      const Random random(seed, static_cast<std::uint64_t>(layer));
      is_head(i) ? layers::initialise_part(*shape_.table, shape_.layers[i]->blocks(), values, random)
                 : shape_.layers[i]->initialise(values, random);
    });
}

StoredIn StageModule::stored_in(int first, std::size_t layer) const {
  if (borrows(layer)) return {first + static_cast<int>(layer), 0};
  if (is_head(layer)) return {0, shape_.table->parameters()};
  return {first + static_cast<int>(layer), shape_.layers[layer]->replicated_parameters()};
}

void StageModule::load(std::span<const std::vector<float>> whole_layers, std::uint64_t seed, int first_layer) {
  if (frozen_) {
    initialise(seed, first_layer);
    return frozen_->load(whole_layers, first_layer);
  }
  for (std::size_t i = 0; i < shape_.layers.size(); ++i)
    fill_weights(i, [&](std::span<float> values) {
      const auto layer = static_cast<std::size_t>(stored_in(first_layer, i).layer);
      layers::extract_blocks(shape_.layers[i]->blocks(), whole_layers[layer], values);
    });
}

/// Returns the device's piece of a unit of a layer in a tensor of whole layers or of pieces.
std::span<float> StageModule::own_piece(tensor::Tensor& of, bool pieces, std::size_t layer, std::size_t unit) const {
  if (!pieces) return exchange_->piece_of(unit, part(of, layer));
  return of.values().subspan(static_cast<std::size_t>(exchange_->pieces().piece_offset(unit)),
                             static_cast<std::size_t>(exchange_->pieces().piece(unit).count));
}

ParameterRange StageModule::own_range(std::size_t unit) const {
  return sharded_.weights ? exchange_->pieces().piece(unit) : exchange_->pieces().whole(unit);
}

std::int64_t StageModule::own_offset(std::size_t layer, std::size_t unit) const {
  const StatePieces& pieces = exchange_->pieces();
  return sharded_.weights ? pieces.piece_offset(unit) : pieces.layer_offset(layer) + pieces.whole(unit).first;
}

std::span<const float> StageModule::own_weights(std::size_t layer, std::size_t unit) const {
  if (sharded_.weights) return own_piece(*parameters_, true, layer, unit);
  const auto [first, count] = own_range(unit);
  return part(std::as_const(*parameters_), layer)
      .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

StageModule::ReduceTimes StageModule::reduce_gradients() {
  const StateExchange& exchange = *exchange_;
  ReduceTimes times;
  std::optional<tensor::Completion> began;
  const auto run = [&](const StateExchange::Async& reduced) {
    if (!began) began = reduced.began;
    if (reduced.ended) memory_->device().wait(*reduced.ended);
  };
  if (sharded_.gradients) {
    sharded_.gradients->finish(gradients_);
    times = sharded_.gradients->consume_times();
    if (!exchange.has_copies() || exchange.copies_each_micro_batch()) return times;
  }
  if (exchange.alone()) return times;
  if (transport::Collective* const group = exchange.sums_at_once(sharded_.gradients != nullptr)) {
    run({group->all_reduce(gradients_.values()), std::nullopt});
  } else {
    for (std::size_t i = 0; i < layers(); ++i) {
      if (exchange.pieces().parameters(i) == 0) continue;
      if (!sharded_.gradients) {
        run(exchange.reduce(i, part(gradients_, i), memory_->device().now()));
        continue;
      }
      for_each_unit(i, [&](std::size_t unit) {
        if (exchange.pieces().of_table(unit)) return;
        run(exchange.reduce_copies(unit, own_piece(gradients_, true, i, unit), memory_->device().now()));
      });
    }
  }
  if (began) times.emplace_back(*began, memory_->device().now());
  return times;
}

bool StageModule::has_table() const {
  const StatePieces& pieces = exchange_->pieces();
  return pieces.of_table(0) || pieces.of_table(pieces.units(layers() - 1).first);
}

StageModule::ReduceTimes StageModule::reduce_table() {
  ReduceTimes times;
  const bool in_pieces = sharded_.gradients != nullptr;
  for (std::size_t i = 0; i < layers(); ++i)
    for_each_unit(i, [&](std::size_t unit) {
      if (!exchange_->pieces().of_table(unit) || exchange_->groups(unit).alone()) return;
      const auto reduced =
          exchange_->reduce_table(unit, in_pieces ? own_piece(gradients_, true, i, unit) : part(gradients_, i),
                                  in_pieces, memory_->device().now());
      if (reduced.ended) memory_->device().wait(*reduced.ended);
      times.emplace_back(reduced.began, memory_->device().now());
    });
  return times;
}

StateExchange::Async StageModule::reduce_bucket(const GradientBucket& bucket, const tensor::Completion& ready) {
  if (transport::Collective* const group = exchange_->sums_at_once(false))
    return group->all_reduce_async(gradients_of(bucket.first, bucket.last), ready);
  StateExchange::Async all{ready, std::nullopt};
  for (std::size_t i = bucket.first; i < bucket.last; ++i) {
    if (exchange_->pieces().parameters(i) == 0) continue;
    const StateExchange::Async one = exchange_->reduce(i, part(gradients_, i), ready);
    if (i == bucket.first) all.began = one.began;
    all.ended = one.ended;
  }
  return all;
}

/// Moves the biases that balance experts, of those in a range of a layer. Zeroes the excess, so that the optimizer
/// leaves them alone.
void StageModule::balance(std::size_t layer, ParameterRange range, std::span<float> weights,
                          std::span<float> excess) const {
  const layers::BalancedBiases biases = shape_.layers[layer]->balanced_biases();
  const std::int64_t first = std::max(biases.first, range.first),
                     last = std::min(biases.first + biases.count, range.first + range.count);
  if (first >= last) return;
  memory_->device().balance(weights.data() + first - range.first, excess.data() + first - range.first, biases.rate,
                            last - first);
}

/// Lets an optimizer on the host fetch the biases that balance() moved. `at`: the position of the range's states.
void StageModule::note_balanced(tensor::OptimizerState& optimizer, std::size_t layer, ParameterRange range,
                                std::int64_t at) const {
  const layers::BalancedBiases biases = shape_.layers[layer]->balanced_biases();
  const std::int64_t first = std::max(biases.first, range.first),
                     last = std::min(biases.first + biases.count, range.first + range.count);
  if (first < last) optimizer.weights_changed(at + first - range.first, last - first);
}

void StageModule::update(tensor::OptimizerState& optimizer, bool keep) {
  tensor::Tensor& weights = advance_version(keep);
  const StatePieces& pieces = exchange_->pieces();
  for (std::size_t i = 0; i < layers(); ++i) {
    balance(i, {0, pieces.parameters(i)}, part(weights, i), part(gradients_, i));
    note_balanced(optimizer, i, {0, pieces.parameters(i)}, pieces.layer_offset(i));
  }
  optimizer.update(weights, gradients_);
  if (copy_ && optimizer.steps_on_host()) copy_->weights_changed();
}

void StageModule::update_pieces(tensor::OptimizerState& optimizer) {
  tensor::Tensor& weights = advance_version(false);
  const bool weight_pieces = sharded_.weights != nullptr, gradient_pieces = sharded_.gradients != nullptr;
  optimizer.begin_step();
  for (std::size_t i = 0; i < layers(); ++i)
    for_each_unit(i, [&](std::size_t unit) {
      const std::span<float> own = exchange_->updated_of(unit, own_piece(weights, weight_pieces, i, unit)),
                             gradients = exchange_->updated_of(unit, own_piece(gradients_, gradient_pieces, i, unit));
      balance(i, exchange_->pieces().updated(unit), own, gradients);
      note_balanced(optimizer, i, exchange_->pieces().updated(unit), exchange_->pieces().updated_offset(unit));
      optimizer.update(own, gradients, exchange_->pieces().updated_offset(unit));
    });
  optimizer.end_step();
  const StatePieces& pieces = exchange_->pieces();
  if (!(gradient_pieces ? pieces.updates_pieces() : pieces.updates_all())) memory_->device().zero(gradients_.values());
  for (std::size_t i = 0; i < layers(); ++i) {
    if (exchange_->pieces().parameters(i) == 0) continue;
    for_each_unit(i, [&](std::size_t unit) {
      exchange_->gather_copies(unit, own_piece(weights, weight_pieces, i, unit));
      if (!weight_pieces) exchange_->gather_ranks(unit, part(weights, i));
    });
  }
  if (copy_) copy_->weights_changed();  // by the gathers
  if (weight_pieces) sharded_.weights->end_step();
  if (frozen_) frozen_->end_step();
}

/// Creates the copy of the weights before the first pass, and brings it up to date before later ones.
void StageModule::refresh_copy() {
  if (frozen_) frozen_->make_copy();
  if (!may_copy_) return;
  if (!copy_) copy_ = memory_->device().copy_of_weights(*parameters_);
  if (copy_) copy_->refresh();
  may_copy_ = copy_ != nullptr;
}

tensor::Tensor& StageModule::advance_version(bool keep) {
  if (keep) kept_[version_] = parameters_;
  if (parameters_.use_count() > 1) {
    // Captured passes read the copy of one version, so that several versions have none.
    if (copy_ && passes_) passes_->forget();
    copy_.reset();
    may_copy_ = false;
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
  const StatePieces& pieces = exchange_->pieces();
  const std::int64_t begin = pieces.layer_offset(first);
  return gradients_.values().subspan(static_cast<std::size_t>(begin),
                                     static_cast<std::size_t>(pieces.layer_offset(last) - begin));
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

std::span<const float> StageModule::acquire_weights(MicroBatch& kept, std::size_t layer) {
  const auto [owner, at] = owner_of(layer);
  const layers::LayerKernel& kernel = *shape_.layers[layer];
  const tensor::Tensor& own = borrows(layer) ? *owner.parameters_ : *kept.weights;
  if (owner.frozen_)
    kept.tensors.layers[layer].frozen =
        owner.frozen_->acquire(at).first(static_cast<std::size_t>(kernel.frozen_parameters()));
  const auto all = owner.sharded_.weights ? owner.sharded_.weights->acquire(at, own) : owner.part(own, at);
  return all.first(static_cast<std::size_t>(kernel.parameters()));  // of a table, without what follows the words
}

void StageModule::release_weights(std::size_t layer, int times) {
  const auto [owner, at] = owner_of(layer);
  for (int i = 0; i < times && owner.sharded_.weights; ++i) {
    owner.sharded_.weights->release(at);
    if (owner.frozen_) owner.frozen_->release(at);
  }
}

void StageModule::prefetch_weights(const MicroBatch& kept, std::size_t layer) {
  const auto [owner, at] = owner_of(layer);
  if (!owner.sharded_.weights) return;
  if (owner.frozen_) owner.frozen_->prefetch(at);
  owner.sharded_.weights->prefetch(at, borrows(layer) ? *owner.parameters_ : *kept.weights);
}

void StageModule::send_to_host(MicroBatch& kept, std::size_t layer) {
  if (offloaded_) offloaded_->send(kept.number, layer, kept.tensors.layers[layer]);
}

void StageModule::fetch_from_host(MicroBatch& kept, std::size_t layer) {
  if (offloaded_) offloaded_->fetch(kept.number, layer, kept.tensors.layers[layer]);
}

tensor::Tensor StageModule::run_forward(MicroBatch& kept, std::size_t layer, std::size_t end, tensor::Tensor input) {
  const std::span<const float> weights = acquire_weights(kept, layer);
  if (layer + 1 < end) prefetch_weights(kept, layer + 1);
  layers::SavedTensors& saved = kept.tensors.layers[layer];
  saved.loss_scale = shape_.loss_scale;
  saved.feeds_loss = shape_.loss != nullptr && layer + 1 == layers();
  return shape_.layers[layer]->forward(std::move(input), weights, saved);
}

void StageModule::add_weight_gradient(std::size_t layer, layers::SavedTensors& saved) {
  const auto [owner, at] = owner_of(layer);
  ScatteredGradients* const scattered = owner.sharded_.gradients.get();
  const std::span<float> gradients = scattered ? scattered->begin(at) : owner.part(owner.gradients_, at);
  shape_.layers[layer]->backward_weight(saved,
                                        gradients.first(static_cast<std::size_t>(shape_.layers[layer]->parameters())));
  if (scattered) scattered->end(at, owner.gradients_);
}

tensor::Tensor StageModule::forward(int micro_batch, tensor::Tensor input, tensor::Tensor targets, int version) {
  MicroBatch& kept = micro_batches_[micro_batch];
  kept.number = micro_batch;
  kept.weights = version == version_ ? parameters_ : kept_.at(version);
  kept.tensors.value = std::move(input), kept.tensors.targets = std::move(targets);
  kept.tensors.layers.resize(shape_.layers.size());
  refresh_copy();
  if (owner_) owner_->refresh_copy();  // its owner's passes may come later in the step
  run(PassKind::forward, kept, {}, [&] { run_layers_forward(kept); });
  loss_ = std::move(kept.tensors.loss);
  return std::move(kept.tensors.value);
}

void StageModule::run_layers_forward(MicroBatch& kept) {
  PassTensors& tensors = kept.tensors;
  tensor::Tensor value = std::move(tensors.value);
  auto segment = shape_.recompute.begin();
  for (std::size_t i = 0; i < shape_.layers.size(); ++i) {
    value = run_forward(kept, i, layers(), std::move(value));
    if (!keeps_weights_for_backward()) release_weights(i);
    const int layer = static_cast<int>(i);
    if (segment == shape_.recompute.end() || layer < segment->first) {
      shape_.layers[i]->discard(tensors.layers[i], shape_.discarded);
      send_to_host(kept, i);
      continue;
    }
    // A segment of recomputed layers restarts from its first layer's input.
    tensors.layers[i].tensors.resize(layer == segment->first ? 1 : 0);
    send_to_host(kept, i);
    if (layer + 1 == segment->last) ++segment;
  }
  if (!shape_.loss) {
    tensors.value = std::move(value);
    return;
  }
  tensors.loss =
      shape_.loss->forward(value, tensors.targets, shape_.loss_scale, kernels().back()->takes_narrow_gradient());
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

/// Within a backward the segment's weights stay gathered for it.
void StageModule::rerun_forward(MicroBatch& kept, const plan::RecomputedSegment& segment) {
  PassTensors& tensors = kept.tensors;
  const auto first = static_cast<std::size_t>(segment.first), last = static_cast<std::size_t>(segment.last);
  fetch_from_host(kept, first);
  tensor::Tensor value = std::move(tensors.layers[first].tensors[0]);
  tensors.layers[first].tensors.clear();
  for (std::size_t i = first; i < last; ++i) {
    value = run_forward(kept, i, last, std::move(value));
    if (!shape_.by_block) release_weights(i);
  }
  if (!shape_.loss || last != layers()) return;
  shape_.loss->forward(value, tensors.targets, shape_.loss_scale, kernels().back()->takes_narrow_gradient());
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
  std::size_t rerun_from = layers();  // first layer of the latest segment that was rerun
  for (std::size_t i = shape_.layers.size(); i-- > 0;) {
    if (shape_.by_block && segment != shape_.recompute.rend() && segment->last == static_cast<int>(i) + 1) {
      if (reruns) reruns->emplace_back(memory_->device().now(), tensor::Completion{});
      rerun_from = static_cast<std::size_t>(segment->first);
      rerun_forward(kept, *segment++);
      if (reruns) reruns->back().second = memory_->device().now();
    }
    if (shape_.loss && i + 1 == layers()) gradient = std::move(tensors.logits);  // their gradient by now
    const bool wanted = i > 0 || !shape_.first;
    layers::SavedTensors& saved = tensors.layers[i];
    fetch_from_host(kept, i);
    const std::span<const float> weights = acquire_weights(kept, i);
    if (i > 0) {
      const bool reruns_next =
          shape_.by_block && segment != shape_.recompute.rend() && segment->last == static_cast<int>(i);
      const std::size_t next = reruns_next ? static_cast<std::size_t>(segment->first) : i - 1;
      prefetch_weights(kept, next);
      if (offloaded_) offloaded_->prefetch(kept.number, next);
    }
    if (!shape_.discarded.empty()) shape_.layers[i]->restore(saved, weights, shape_.discarded);
    gradient = shape_.layers[i]->backward_input(std::move(gradient), weights, saved, wanted);
    release_weights(i, 1 + (keeps_weights_for_backward() ? 1 : 0) + (i >= rerun_from ? 1 : 0));
    if (i == rerun_from) rerun_from = layers();
    if (!weights_too) continue;
    add_weight_gradient(i, saved);
    if (done) done(i);
  }
  tensors.value = std::move(gradient);
}

void StageModule::backward_weight(int micro_batch, const LayerDone& done) {
  MicroBatch& kept = micro_batches_.at(micro_batch);
  run(PassKind::backward_weight, kept, done, [&] {
    for (std::size_t i = shape_.layers.size(); i-- > 0;) {
      add_weight_gradient(i, kept.tensors.layers[i]);
      if (done) done(i);
    }
  });
  micro_batches_.erase(micro_batch);
}

void StageModule::add_parameters(int first, std::vector<LayerParameters>& to) const {
  for (std::size_t i = 0; i < shape_.layers.size(); ++i)
    for_each_unit(i, [&](std::size_t unit) {
      const StateSeat& seat = exchange_->pieces().seat(unit);
      if (seat.copy > 0 || (seat.rank > 0 && !seat.shards_weights())) return;
      const ParameterRange range = own_range(unit);
      std::vector<float> values(static_cast<std::size_t>(range.count));
      memory_->device().download(values, own_weights(i, unit).data());
      const auto [layer, whole] = stored_in(first, i);
      to.push_back({layer, whole, layers::blocks_in_range(shape_.layers[i]->blocks(), range.first, range.count),
                    std::move(values)});
    });
}

}  // namespace pipedeck::runtime::exec
