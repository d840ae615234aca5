// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/state_exchange.hpp"

#include <algorithm>

namespace pipedeck::runtime::exec {
namespace {

template <class Float>
std::span<Float> part(std::span<Float> of, std::int64_t first, std::int64_t count) {
  return of.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

/// Joins two collectives, of which the second began when the first ended.
StateExchange::Async joined(const StateExchange::Async& first, const StateExchange::Async& second) {
  return {first.began, second.ended};
}

/// Runs a collective for each unit of a layer, one after the other.
template <class Work>
StateExchange::Async for_each_unit(const StatePieces::Units& units, const tensor::Completion& ready, const Work& work) {
  StateExchange::Async all = work(units.first, ready);
  for (std::size_t unit = units.first + 1; unit < units.last; ++unit)
    all = joined(all, work(unit, all.ended.value_or(ready)));
  return all;
}

}  // namespace

std::span<float> StateExchange::unit_of(std::size_t unit, std::span<float> whole) const {
  return part(whole, pieces_.whole(unit).first, pieces_.whole(unit).count);
}

std::span<float> StateExchange::piece_of(std::size_t unit, std::span<float> whole) const {
  const ParameterRange piece = pieces_.piece(unit);
  return part(whole, piece.first, piece.count);
}

std::span<float> StateExchange::updated_of(std::size_t unit, std::span<float> piece) const {
  const ParameterRange updated = pieces_.updated(unit);
  return part(piece, updated.first - pieces_.piece(unit).first, updated.count);
}

StateExchange::Async StateExchange::reduce_unit(std::size_t unit, std::span<float> whole,
                                                const tensor::Completion& ready) const {
  const StateGroups& groups = this->groups(unit);
  if (!groups.ranks) return {ready, ready};
  return groups.ranks->reduce_scatter_async(unit_of(unit, whole), piece_of(unit, whole), pieces_.piece_counts(unit),
                                            ready);
}

StateExchange::Async StateExchange::reduce_ranks(std::size_t layer, std::span<float> whole,
                                                 const tensor::Completion& ready) const {
  return for_each_unit(pieces_.units(layer), ready, [&](std::size_t unit, const tensor::Completion& from) {
    return reduce_unit(unit, whole, from);
  });
}

StateExchange::Async StateExchange::reduce_copies(std::size_t unit, std::span<float> piece,
                                                  const tensor::Completion& ready) const {
  const StateGroups& groups = this->groups(unit);
  if (!groups.copies) return {ready, ready};
  if (!pieces_.seat(unit).divides_copies()) return groups.copies->all_reduce_async(piece, ready);
  return groups.copies->reduce_scatter_async(piece, updated_of(unit, piece), pieces_.updated_counts(unit), ready);
}

StateExchange::Async StateExchange::reduce(std::size_t layer, std::span<float> whole,
                                           const tensor::Completion& ready) const {
  return for_each_unit(pieces_.units(layer), ready, [&](std::size_t unit, const tensor::Completion& from) {
    if (pieces_.of_table(unit) && !seat_.shards_gradients()) return Async{from, from};
    const Async ranks = reduce_unit(unit, whole, from);
    if (!groups(unit).copies || pieces_.of_table(unit)) return ranks;
    return joined(ranks, reduce_copies(unit, piece_of(unit, whole), ranks.ended.value_or(from)));
  });
}

StateExchange::Async StateExchange::reduce_table(std::size_t unit, std::span<float> values, bool piece,
                                                 const tensor::Completion& ready) const {
  if (piece) return reduce_copies(unit, values, ready);
  const Async ranks = reduce_unit(unit, values, ready);
  return joined(ranks, reduce_copies(unit, piece_of(unit, values), ranks.ended.value_or(ready)));
}

void StateExchange::gather_copies(std::size_t unit, std::span<float> piece) const {
  if (pieces_.seat(unit).divides_copies())
    groups(unit).copies->all_gather(updated_of(unit, piece), piece, pieces_.updated_counts(unit));
}

void StateExchange::gather_ranks(std::size_t unit, std::span<float> whole) const {
  if (groups(unit).ranks)
    groups(unit).ranks->all_gather(piece_of(unit, whole), unit_of(unit, whole), pieces_.piece_counts(unit));
}

StateExchange::Async StateExchange::gather(std::size_t layer, std::span<const float> pieces, std::span<float> whole,
                                           const tensor::Completion& ready, tensor::ComputeDevice& device) const {
  return for_each_unit(pieces_.units(layer), ready, [&](std::size_t unit, const tensor::Completion& from) -> Async {
    const std::int64_t first = pieces_.piece_offset(unit) - pieces_.piece_offset(pieces_.units(layer).first);
    const std::span<const float> piece = part(pieces, first, pieces_.piece(unit).count);
    if (const auto& group = groups(unit).gathers)
      return group->all_gather_async(piece, unit_of(unit, whole), pieces_.piece_counts(unit), from);
    device.copy(unit_of(unit, whole).data(), piece.data(), pieces_.piece(unit).count);
    return {from, from};
  });
}

ScatteredGradients::ScatteredGradients(std::shared_ptr<const StateExchange> exchange,
                                       std::shared_ptr<tensor::DeviceMemory> memory, WaitingWorker waiting,
                                       std::unique_ptr<CollectiveThread> thread)
    : exchange_(std::move(exchange)), memory_(std::move(memory)), waiting_(waiting), thread_(std::move(thread)) {}

std::span<float> ScatteredGradients::begin(std::size_t layer) {
  const std::int64_t parameters = exchange_->pieces().parameters(layer);
  if (parameters == 0) return {};
  layers_.push_back({layer, tensor::Tensor::zeros(memory_, 1, parameters)});
  return layers_.back().whole.values();
}

void ScatteredGradients::end(std::size_t layer, tensor::Tensor& pieces) {
  if (exchange_->pieces().parameters(layer) == 0) return;
  const auto reduce = [exchange = exchange_, layer,
                       whole = layers_.back().whole.values()](const tensor::Completion& ready) {
    return exchange->copies_each_micro_batch() ? exchange->reduce(layer, whole, ready)
                                               : exchange->reduce_ranks(layer, whole, ready);
  };
  if (thread_) {
    thread_->begin(reduce);
    while (layers_.size() > max_active) add_first(pieces);
    return;
  }
  const auto done = waiting_.wait_for_replicas([&] { return reduce(memory_->device().now()); });
  if (done.ended) memory_->device().wait(*done.ended);
  times_.emplace_back(done.began, memory_->device().now());
  add_first(pieces);
}

/// Adds the layer that was reduced first, and frees its whole gradients.
void ScatteredGradients::add_first(tensor::Tensor& pieces) {
  Layer& layer = layers_.front();
  if (thread_) times_.push_back(waiting_.wait_for_replicas([&] { return thread_->wait(); }));
  const auto [first, last] = exchange_->pieces().units(layer.index);
  for (std::size_t unit = first; unit < last; ++unit) {
    const std::span<float> piece = exchange_->piece_of(unit, layer.whole.values());
    memory_->device().add(pieces.data() + exchange_->pieces().piece_offset(unit), piece.data(),
                          static_cast<std::int64_t>(piece.size()));
  }
  layers_.pop_front();
}

void ScatteredGradients::finish(tensor::Tensor& pieces) {
  while (!layers_.empty()) add_first(pieces);
}

GatheredWeights::GatheredWeights(std::shared_ptr<const StateExchange> exchange,
                                 std::shared_ptr<tensor::DeviceMemory> memory, WaitingWorker waiting,
                                 std::unique_ptr<CollectiveThread> thread)
    : exchange_(std::move(exchange)),
      memory_(std::move(memory)),
      waiting_(waiting),
      thread_(std::move(thread)),
      layers_(exchange_->pieces().layers()) {}

void GatheredWeights::begin(std::size_t layer, const tensor::Tensor& pieces) {
  const StatePieces& division = exchange_->pieces();
  layers_[layer].whole = tensor::Tensor(memory_, 1, division.parameters(layer));
  const auto [first, last] = division.units(layer);
  const std::int64_t at = division.piece_offset(first), count = division.piece_offset(last) - at;
  const auto gather = [exchange = exchange_, layer, whole = layers_[layer].whole.values(),
                       own = part(pieces.values(), at, count),
                       device = memory_->device_shared()](const tensor::Completion& ready) {
    return exchange->gather(layer, own, whole, ready, *device);
  };
  if (thread_) {
    thread_->begin(gather);
    arriving_.push_back(layer);
    return;
  }
  const auto done = waiting_.wait_for_replicas([&] { return gather(memory_->device().now()); });
  if (done.ended) memory_->device().wait(*done.ended);
}

void GatheredWeights::prefetch(std::size_t layer, const tensor::Tensor& pieces) {
  if (thread_ && layer < layers_.size() && layers_[layer].whole.empty() && exchange_->pieces().parameters(layer) > 0)
    begin(layer, pieces);
}

std::span<const float> GatheredWeights::acquire(std::size_t layer, const tensor::Tensor& pieces) {
  Layer& own = layers_[layer];
  if (exchange_->pieces().parameters(layer) == 0) return {};
  if (own.whole.empty()) begin(layer, pieces);
  while (std::ranges::find(arriving_, layer) != arriving_.end()) {
    waiting_.wait_for_replicas([&] { return thread_->wait(); });
    arriving_.pop_front();
  }
  ++own.users;
  return std::as_const(own.whole).values();
}

void GatheredWeights::release(std::size_t layer) {
  Layer& own = layers_[layer];
  if (own.whole.empty() || --own.users > 0 || exchange_->seat().whole_until_step()) return;
  own.whole.release();
}

void GatheredWeights::end_step() {
  for (Layer& layer : layers_) layer = {};
}

}  // namespace pipedeck::runtime::exec
