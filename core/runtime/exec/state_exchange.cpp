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

}  // namespace

std::span<float> StateExchange::piece_of(std::size_t layer, std::span<float> whole) const {
  const ParameterRange piece = pieces_.piece(layer);
  return part(whole, piece.first, piece.count);
}

std::span<float> StateExchange::updated_of(std::size_t layer, std::span<float> piece) const {
  const ParameterRange updated = pieces_.updated(layer);
  return part(piece, updated.first - pieces_.piece(layer).first, updated.count);
}

StateExchange::Async StateExchange::reduce_ranks(std::size_t layer, std::span<float> whole,
                                                 const tensor::Completion& ready) const {
  if (!groups_.ranks) return {ready, ready};
  return groups_.ranks->reduce_scatter_async(whole, piece_of(layer, whole), pieces_.piece_counts(layer), ready);
}

StateExchange::Async StateExchange::reduce_copies(std::size_t layer, std::span<float> piece,
                                                  const tensor::Completion& ready) const {
  if (!groups_.copies) return {ready, ready};
  if (!seat_.divides_copies()) return groups_.copies->all_reduce_async(piece, ready);
  return groups_.copies->reduce_scatter_async(piece, updated_of(layer, piece), pieces_.updated_counts(layer), ready);
}

StateExchange::Async StateExchange::reduce(std::size_t layer, std::span<float> whole,
                                           const tensor::Completion& ready) const {
  const Async ranks = reduce_ranks(layer, whole, ready);
  if (!groups_.copies) return ranks;
  return joined(ranks, reduce_copies(layer, piece_of(layer, whole), ranks.ended.value_or(ready)));
}

void StateExchange::gather_copies(std::size_t layer, std::span<float> piece) const {
  if (seat_.divides_copies())
    groups_.copies->all_gather(updated_of(layer, piece), piece, pieces_.updated_counts(layer));
}

void StateExchange::gather_ranks(std::size_t layer, std::span<float> whole) const {
  if (groups_.ranks) groups_.ranks->all_gather(piece_of(layer, whole), whole, pieces_.piece_counts(layer));
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
  const std::span<float> piece = exchange_->piece_of(layer.index, layer.whole.values());
  memory_->device().add(pieces.data() + exchange_->pieces().piece_offset(layer.index), piece.data(),
                        static_cast<std::int64_t>(piece.size()));
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
  const auto gather = [exchange = exchange_, layer, whole = layers_[layer].whole.values(),
                       piece = part(pieces.values(), division.piece_offset(layer), division.piece(layer).count)](
                          const tensor::Completion& ready) {
    return exchange->groups().gathers->all_gather_async(piece, whole, exchange->pieces().piece_counts(layer), ready);
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
