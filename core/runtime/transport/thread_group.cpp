// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/thread_group.hpp"

#include <algorithm>
#include <array>

namespace pipedeck::runtime::transport {

template <class Combine>
tensor::RunClock::time_point ThreadGroup::reduce(std::size_t rank, std::span<float> values, Combine combine) {
  values_[rank] = values;
  all_.arrive_and_wait();
  const auto begin = tensor::RunClock::now();
  // Reduces the rank's own part block by block: the sums remain in cache, and each loop reads one member's values.
  const std::size_t size = values.size(), members = values_.size(), end = size * (rank + 1) / members;
  std::array<float, 2048> sums;
  for (std::size_t first = size * rank / members; first < end; first += sums.size()) {
    const std::size_t count = std::min(sums.size(), end - first);
    std::copy_n(values_[0].data() + first, count, sums.data());
    for (std::size_t other = 1; other < members; ++other) {
      const float* theirs = values_[other].data() + first;
      for (std::size_t i = 0; i < count; ++i) sums[i] = combine(sums[i], theirs[i]);
    }
    for (std::size_t other = 0; other < members; ++other)
      std::copy_n(sums.data(), count, values_[other].data() + first);
  }
  all_.arrive_and_wait();
  return begin;
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
  auto to = all.begin();
  for (std::size_t other = 0; other < given_.size(); ++other)
    to = std::copy_n(given_[other].begin(), static_cast<std::ptrdiff_t>(counts[other]), to);
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
