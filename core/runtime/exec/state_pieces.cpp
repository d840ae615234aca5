// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/state_pieces.hpp"

namespace pipedeck::runtime::exec {
namespace {

ParameterRange part(ParameterRange whole, int rank, int ranks) {
  const std::int64_t begin = whole.count * rank / ranks, end = whole.count * (rank + 1) / ranks;
  return {whole.first + begin, end - begin};
}

std::vector<std::size_t> counts(ParameterRange whole, int ranks) {
  std::vector<std::size_t> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(static_cast<std::size_t>(part(whole, rank, ranks).count));
  return all;
}

}  // namespace

StatePieces::StatePieces(const std::vector<LayerStates>& layers, const StateSeats& seats, std::int64_t alignment)
    : seats_(seats) {
  for (const auto& [parameters, experts, table] : layers) {
    const std::size_t first = units_.size();
    const std::int64_t dense = parameters - experts - table;
    if (table > 0) add({0, table}, StateClass::table);
    if (table == 0 || dense > 0) add({table, dense}, StateClass::dense);
    if (experts > 0) add({parameters - experts, experts}, StateClass::experts);
    layers_.push_back({parameters, {first, units_.size()}});
    end_layer(parameters, alignment);
  }
}

const StateSeat& StatePieces::seat(StateClass of) const {
  if (of == StateClass::dense) return seats_.dense;
  return of == StateClass::experts ? seats_.experts : seats_.table.value();
}

void StatePieces::add(ParameterRange whole, StateClass of) {
  const StateSeat& seat = this->seat(of);
  const int ranks = seat.shards_optimizer() ? seat.ranks : 1, rank = seat.shards_optimizer() ? seat.rank : 0;
  const int copies = seat.divides_copies() ? seat.copies : 1, copy = seat.divides_copies() ? seat.copy : 0;
  const ParameterRange piece = part(whole, rank, ranks), updated = part(piece, copy, copies);
  units_.push_back({of, whole, piece, updated, counts(whole, ranks), counts(piece, copies)});
  piece_offsets_.push_back(piece_offsets_.back() + piece.count);
  updated_offsets_.push_back(updated_offsets_.back() + updated.count);
  all_dense_ = all_dense_ && of == StateClass::dense;
  updates_all_ = updates_all_ && updated.count == whole.count;
  updates_pieces_ = updates_pieces_ && updated.count == piece.count;
}

/// Moves the next layer to a multiple of the alignment.
void StatePieces::end_layer(std::int64_t parameters, std::int64_t alignment) {
  const auto rounded = [&](std::int64_t offset) { return (offset + alignment - 1) / alignment * alignment; };
  piece_offsets_.back() = rounded(piece_offsets_.back());
  updated_offsets_.back() = rounded(updated_offsets_.back());
  layer_offsets_.push_back(rounded(layer_offsets_.back() + parameters));
}

}  // namespace pipedeck::runtime::exec
