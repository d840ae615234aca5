// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/frozen_parameters.hpp"

#include <algorithm>
#include <utility>

#include "core/runtime/layers/shard.hpp"

namespace pipedeck::runtime::exec {
namespace {

template <class Float>
std::span<Float> part(std::span<Float> of, std::int64_t first, std::int64_t count) {
  return of.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

}  // namespace

FrozenParameters::FrozenParameters(Kernels layers, const layers::LayerKernel* table,
                                   std::shared_ptr<const StateExchange> exchange,
                                   std::shared_ptr<GatheredWeights> gathered,
                                   std::shared_ptr<tensor::DeviceMemory> memory)
    : layers_(layers),
      table_(table),
      exchange_(std::move(exchange)),
      gathered_(std::move(gathered)),
      may_copy_(gathered_ == nullptr) {
  const StatePieces& pieces = exchange_->pieces();
  weights_ = tensor::Tensor::zeros(memory, 1, gathered_ ? pieces.piece_size() : pieces.list_size());
}

template <class Work>
void FrozenParameters::for_each_unit(std::size_t layer, const Work& work) const {
  const auto [first, last] = exchange_->pieces().units(layer);
  for (std::size_t unit = first; unit < last; ++unit) work(unit);
}

/// Fills each layer, or the device's pieces of it, from `fill_layer`, which writes the kernel's weights.
template <class Fill>
void FrozenParameters::fill(const Fill& fill_layer) {
  const StatePieces& pieces = exchange_->pieces();
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (pieces.parameters(i) == 0) continue;
    std::vector<float> whole(static_cast<std::size_t>(pieces.parameters(i)));
    fill_layer(i, std::span(whole));
    const auto put = [&](std::int64_t at, std::span<const float> values) {
      weights_.memory()->device().upload(part(weights_.values(), at, static_cast<std::int64_t>(values.size())),
                                         [&](std::span<float> to) { std::ranges::copy(values, to.begin()); });
    };
    if (!gathered_) {
      put(pieces.layer_offset(i), whole);
      if (copy_) copy_->weights_changed();
      continue;
    }
    for_each_unit(i, [&](std::size_t unit) { put(pieces.piece_offset(unit), exchange_->piece_of(unit, whole)); });
  }
}

void FrozenParameters::initialise(std::uint64_t seed, int first_layer) {
  fill([&](std::size_t i, std::span<float> to) {
    const Random random(seed, static_cast<std::uint64_t>(stored_in(first_layer, i)));
    if (!is_head(i)) return layers_[i]->initialise_frozen(to, random);
    std::vector<float> table(static_cast<std::size_t>(table_->frozen_parameters()));
    table_->initialise_frozen(table, random);
    layers::extract_blocks(layers_[i]->frozen_blocks(), table, to);
  });
}

void FrozenParameters::load(std::span<const std::vector<float>> whole_layers, int first_layer) {
  fill([&](std::size_t i, std::span<float> to) {
    layers::extract_blocks(layers_[i]->frozen_blocks(),
                           whole_layers[static_cast<std::size_t>(stored_in(first_layer, i))], to);
  });
}

void FrozenParameters::make_copy() {
  if (!may_copy_) return;
  if (!copy_) copy_ = weights_.memory()->device().copy_of_weights(weights_);
  may_copy_ = copy_ != nullptr;
  if (copy_) copy_->refresh();
}

Bytes FrozenParameters::copied(std::size_t layer) const {
  if (!copy_) return {};
  return Bytes(copy_->bytes().count * whole(layer) / exchange_->pieces().list_size());
}

std::span<const float> FrozenParameters::acquire(std::size_t layer) {
  if (gathered_) return gathered_->acquire(layer, weights_);
  return part(std::as_const(weights_).values(), exchange_->pieces().layer_offset(layer), whole(layer));
}

void FrozenParameters::prefetch(std::size_t layer) {
  if (gathered_) gathered_->prefetch(layer, weights_);
}

void FrozenParameters::release(std::size_t layer) {
  if (gathered_) gathered_->release(layer);
}

void FrozenParameters::end_step() {
  if (gathered_) gathered_->end_step();
}

std::int64_t FrozenParameters::held(std::size_t layer) const {
  if (!gathered_) return whole(layer);
  std::int64_t pieces = 0;
  for_each_unit(layer, [&](std::size_t unit) { pieces += exchange_->pieces().piece(unit).count; });
  return pieces;
}

std::span<const float> FrozenParameters::own(std::size_t layer, std::size_t unit) const {
  const StatePieces& pieces = exchange_->pieces();
  if (gathered_) return part(weights_.values(), pieces.piece_offset(unit), pieces.piece(unit).count);
  return part(weights_.values(), pieces.layer_offset(layer) + pieces.whole(unit).first, pieces.whole(unit).count);
}

void FrozenParameters::add_parameters(int first, std::vector<LayerParameters>& to) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (is_head(i)) continue;  // the first stage adds the table
    for_each_unit(i, [&](std::size_t unit) {
      const StateSeat& seat = exchange_->pieces().seat(unit);
      if (seat.copy > 0 || (seat.rank > 0 && !seat.shards_weights())) return;
      const ParameterRange range = gathered_ ? exchange_->pieces().piece(unit) : exchange_->pieces().whole(unit);
      std::vector<float> values(static_cast<std::size_t>(range.count));
      weights_.memory()->device().download(values, own(i, unit).data());
      to.push_back({first + static_cast<int>(i), layers_[i]->replicated_frozen_parameters(),
                    layers::blocks_in_range(layers_[i]->frozen_blocks(), range.first, range.count), std::move(values)});
    });
  }
}

}  // namespace pipedeck::runtime::exec
