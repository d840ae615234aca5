// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/thread_group.hpp"

#include <algorithm>
#include <array>

#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::transport {

template <class Combine>
tensor::RunClock::time_point ThreadGroup::reduce(std::size_t rank, std::span<float> values, Combine combine) {
  values_[rank] = values, given_[rank] = values;
  all_.arrive_and_wait();
  const auto begin = tensor::RunClock::now();
  const std::size_t size = values.size(), members = values_.size();
  combine_given(size * rank / members, size * (rank + 1) / members, combine,
                [&](std::size_t first, std::span<const float> sums) {
                  for (const std::span<float> member : values_) std::ranges::copy(sums, member.data() + first);
                });
  all_.arrive_and_wait();
  return begin;
}

/// The sums of a block remain in cache, and each loop reads one member's values.
template <class Combine, class Write>
void ThreadGroup::combine_given(std::size_t first, std::size_t end, Combine combine, Write write) const {
  std::array<float, 2048> sums;
  for (; first < end; first += sums.size()) {
    const std::size_t count = std::min(sums.size(), end - first);
    std::copy_n(given_[0].data() + first, count, sums.data());
    for (std::size_t other = 1; other < given_.size(); ++other) {
      const float* theirs = given_[other].data() + first;
      for (std::size_t i = 0; i < count; ++i) sums[i] = combine(sums[i], theirs[i]);
    }
    write(first, std::span(sums).first(count));
  }
}

tensor::RunClock::time_point ThreadGroup::all_reduce(std::size_t rank, std::span<float> values) {
  return reduce(rank, values, [](float a, float b) { return a + b; });
}

tensor::RunClock::time_point ThreadGroup::all_reduce_max(std::size_t rank, std::span<float> values) {
  return reduce(rank, values, [](float a, float b) { return a < b ? b : a; });
}

tensor::RunClock::time_point ThreadGroup::all_gather(std::size_t rank, std::span<const float> mine,
                                                     std::span<float> all, std::span<const std::size_t> counts) {
  given_[rank] = mine;
  all_.arrive_and_wait();
  const auto begin = tensor::RunClock::now();
  float* to = all.data();
  for (std::size_t other = 0; other < given_.size(); to += counts[other], ++other)
    if (given_[other].data() != to) std::copy_n(given_[other].data(), counts[other], to);
  all_.arrive_and_wait();
  return begin;
}

tensor::RunClock::time_point ThreadGroup::reduce_scatter(std::size_t rank, std::span<const float> values,
                                                         std::span<float> mine, std::span<const std::size_t> counts) {
  given_[rank] = values;
  all_.arrive_and_wait();
  const auto begin = tensor::RunClock::now();
  const std::size_t own = offset_of(counts, rank);
  combine_given(
      own, own + counts[rank], [](float a, float b) { return a + b; },
      [&](std::size_t first, std::span<const float> sums) { std::ranges::copy(sums, mine.data() + (first - own)); });
  all_.arrive_and_wait();
  return begin;
}

tensor::RunClock::time_point ThreadGroup::all_to_all(std::size_t rank, std::span<const float> to,
                                                     std::span<const std::size_t> to_counts, std::span<float> from,
                                                     std::span<const std::size_t> from_counts) {
  given_[rank] = to, given_counts_[rank] = to_counts;
  all_.arrive_and_wait();
  const auto begin = tensor::RunClock::now();
  float* place = from.data();
  for (std::size_t other = 0; other < given_.size(); place += from_counts[other], ++other) {
    const auto& theirs = given_counts_[other];
    ensure(theirs[rank] == from_counts[other], "members of a collective agree on what each has");
    const std::size_t skipped = offset_of(theirs, rank);
    std::copy_n(given_[other].data() + skipped, from_counts[other], place);
  }
  all_.arrive_and_wait();
  return begin;
}

tensor::RunClock::time_point ThreadGroup::broadcast(std::size_t rank, std::size_t root, std::span<float> values) {
  values_[rank] = values;
  all_.arrive_and_wait();
  const auto begin = tensor::RunClock::now();
  if (rank != root) std::copy_n(values_[root].begin(), values.size(), values.begin());
  all_.arrive_and_wait();
  return begin;
}

}  // namespace pipedeck::runtime::transport
