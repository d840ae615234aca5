// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/mpi/collective.hpp"

#include <algorithm>

namespace pipedeck::runtime::mpi {
namespace {

/// Long values are reduced block by block, which bounds the memory of received values that are not yet added.
constexpr std::size_t block = std::size_t{1} << 21;

/// Returns the part of `values` that member `rank` adds up.
template <class T>
std::span<T> part(std::span<T> values, std::size_t rank, std::size_t members) {
  const std::size_t begin = values.size() * rank / members, end = values.size() * (rank + 1) / members;
  return values.subspan(begin, end - begin);
}

}  // namespace

void Collective::send(std::size_t member, std::span<const float> values) {
  transport_.send_piece(members_[rank_], members_[member], group_, number_, values);
}

CollectiveChunk Collective::take(std::size_t member) {
  return transport_.receive_chunk(members_[member], members_[rank_], group_, number_);
}

/// Sends the other members their pieces. Combines the members' values of the rank's own piece in `mine`, which may be
/// that piece.
template <class Combine>
tensor::Completion Collective::exchange_and_combine(std::span<const std::span<const float>> pieces,
                                                    std::span<float> mine, Combine combine) {
  const std::size_t members = members_.size();
  auto began = tensor::RunClock::now();
  for (std::size_t other = 0; other < members; ++other)
    if (other != rank_) send(other, pieces[other]);
  if (mine.data() != pieces[rank_].data()) std::ranges::copy(pieces[rank_], mine.begin());
  std::vector<CollectiveChunk> chunks(members);
  for (std::size_t other = 0; other < members; ++other) {
    if (other == rank_) continue;
    chunks[other] = take(other);
    ensure(chunks[other].values->size() == mine.size(), "members of a collective agree on what each has");
    began = std::max(began, chunks[other].arrived);
  }
  ++number_;

  const auto of = [&](std::size_t member) { return member == rank_ ? mine.data() : chunks[member].values->data(); };
  float* const result = of(0);
  for (std::size_t member = 1; member < members; ++member) {
    const float* const more = of(member);
    for (std::size_t i = 0; i < mine.size(); ++i) result[i] = combine(result[i], more[i]);
  }
  if (result != mine.data()) std::copy_n(result, mine.size(), mine.data());
  return began;
}

template <class Combine>
tensor::Completion Collective::reduce_block(std::span<float> values, Combine combine) {
  const std::size_t members = members_.size();
  std::vector<std::span<const float>> pieces;
  for (std::size_t member = 0; member < members; ++member) pieces.push_back(part<const float>(values, member, members));
  const std::span<float> mine = part(values, rank_, members);
  const auto began = exchange_and_combine(pieces, mine, combine);
  for (std::size_t other = 0; other < members; ++other)
    if (other != rank_) send(other, mine);
  for (std::size_t other = 0; other < members; ++other) {
    if (other == rank_) continue;
    const CollectiveChunk piece = take(other);
    std::copy(piece.values->begin(), piece.values->end(), part(values, other, members).begin());
  }
  ++number_;
  return began;
}

template <class Combine>
tensor::Completion Collective::reduce(std::span<float> values, Combine combine) {
  std::size_t done = std::min(block, values.size());
  const auto began = reduce_block(values.first(done), combine);
  for (; done < values.size(); done += block)
    reduce_block(values.subspan(done, std::min(block, values.size() - done)), combine);
  return began;
}

tensor::Completion Collective::all_reduce(std::span<float> values) {
  return reduce(values, [](float a, float b) { return a + b; });
}

tensor::Completion Collective::all_reduce_max(std::span<float> values) {
  return reduce(values, [](float a, float b) { return std::max(a, b); });
}

tensor::Completion Collective::all_gather(std::span<const float> mine, std::span<float> all,
                                          std::span<const std::size_t> counts) {
  auto began = tensor::RunClock::now();
  for (std::size_t other = 0; other < members_.size(); ++other)
    if (other != rank_) send(other, mine);
  std::size_t at = 0;
  for (std::size_t member = 0; member < members_.size(); at += counts[member], ++member) {
    const std::span<float> place = all.subspan(at, counts[member]);
    if (member == rank_) {
      if (place.data() != mine.data()) std::copy(mine.begin(), mine.end(), place.begin());
      continue;
    }
    const CollectiveChunk piece = take(member);
    ensure(piece.values->size() == place.size(), "members of a collective agree on what each has");
    std::copy(piece.values->begin(), piece.values->end(), place.begin());
    began = std::max(began, piece.arrived);
  }
  ++number_;
  return began;
}

/// Long pieces are reduced block by block, as in an all-reduce.
tensor::Completion Collective::reduce_scatter(std::span<const float> values, std::span<float> mine,
                                              std::span<const std::size_t> counts) {
  std::vector<std::span<const float>> left;
  std::size_t at = 0, longest = 0;
  for (const std::size_t count : counts) {
    left.push_back(values.subspan(at, count));
    at += count, longest = std::max(longest, count);
  }
  const std::size_t most = block / members_.size();
  tensor::Completion began;
  for (std::size_t done = 0; done == 0 || done < longest; done += most) {
    std::vector<std::span<const float>> pieces;
    for (std::span<const float>& piece : left) {
      pieces.push_back(piece.first(std::min(most, piece.size())));
      piece = piece.subspan(pieces.back().size());
    }
    const std::size_t own = pieces[rank_].size();
    const auto start = exchange_and_combine(pieces, mine.first(own), [](float a, float b) { return a + b; });
    mine = mine.subspan(own);
    if (done == 0) began = start;
  }
  return began;
}

tensor::Completion Collective::all_to_all(std::span<const float> to, std::span<const std::size_t> to_counts,
                                          std::span<float> from, std::span<const std::size_t> from_counts) {
  auto began = tensor::RunClock::now();
  std::span<const float> own;
  std::size_t at = 0;
  for (std::size_t other = 0; other < members_.size(); at += to_counts[other], ++other) {
    const std::span<const float> part = to.subspan(at, to_counts[other]);
    other == rank_ ? static_cast<void>(own = part) : send(other, part);
  }
  at = 0;
  for (std::size_t other = 0; other < members_.size(); at += from_counts[other], ++other) {
    const std::span<float> place = from.subspan(at, from_counts[other]);
    if (other == rank_) {
      std::ranges::copy(own, place.begin());
      continue;
    }
    const CollectiveChunk piece = take(other);
    ensure(piece.values->size() == place.size(), "members of a collective agree on what each has");
    std::ranges::copy(*piece.values, place.begin());
    began = std::max(began, piece.arrived);
  }
  ++number_;
  return began;
}

tensor::Completion Collective::broadcast(int root, std::span<float> values) {
  auto began = tensor::RunClock::now();
  const auto from = static_cast<std::size_t>(root);
  if (from == rank_) {
    for (std::size_t other = 0; other < members_.size(); ++other)
      if (other != rank_) send(other, values);
  } else {
    const CollectiveChunk piece = take(from);
    ensure(piece.values->size() == values.size(), "members of a collective agree on what each has");
    std::copy(piece.values->begin(), piece.values->end(), values.begin());
    began = std::max(began, piece.arrived);
  }
  ++number_;
  return began;
}

}  // namespace pipedeck::runtime::mpi
