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

StatePieces::StatePieces(std::vector<std::int64_t> parameters, const StateSeat& seat) {
  const int ranks = seat.shards_optimizer() ? seat.ranks : 1, rank = seat.shards_optimizer() ? seat.rank : 0;
  const int copies = seat.divides_copies() ? seat.copies : 1, copy = seat.divides_copies() ? seat.copy : 0;
  for (const std::int64_t number : parameters) {
    const ParameterRange whole{0, number}, piece = part(whole, rank, ranks), updated = part(piece, copy, copies);
    layers_.push_back({number, piece, updated, counts(whole, ranks), counts(piece, copies)});
    piece_offsets_.push_back(piece_offsets_.back() + piece.count);
    updated_offsets_.push_back(updated_offsets_.back() + updated.count);
  }
}

}  // namespace pipedeck::runtime::exec
