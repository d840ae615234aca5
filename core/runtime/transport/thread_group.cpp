// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/thread_group.hpp"

#include <algorithm>

namespace pipedeck {

template <class Combine>
RunClock::time_point ThreadGroup::reduce(std::size_t rank, std::span<float> values, Combine combine) {
  values_[rank] = values;
  meet();
  const auto begin = RunClock::now();
  const std::size_t size = values.size(), members = values_.size(), end = size * (rank + 1) / members;
  for (std::size_t i = size * rank / members; i < end; ++i) {
    float result = values_[0][i];
    for (std::size_t other = 1; other < members; ++other) result = combine(result, values_[other][i]);
    for (std::size_t other = 0; other < members; ++other) values_[other][i] = result;
  }
  meet();
  return begin;
}

RunClock::time_point ThreadGroup::all_reduce(std::size_t rank, std::span<float> values) {
  return reduce(rank, values, [](float a, float b) { return a + b; });
}

RunClock::time_point ThreadGroup::all_reduce_max(std::size_t rank, std::span<float> values) {
  return reduce(rank, values, [](float a, float b) { return a < b ? b : a; });
}

RunClock::time_point ThreadGroup::all_gather(std::size_t rank, std::span<const float> mine, std::span<float> all,
                                             std::span<const std::size_t> counts) {
  given_[rank] = mine;
  meet();
  const auto begin = RunClock::now();
  auto to = all.begin();
  for (std::size_t other = 0; other < given_.size(); ++other)
    to = std::copy_n(given_[other].begin(), static_cast<std::ptrdiff_t>(counts[other]), to);
  meet();
  return begin;
}

RunClock::time_point ThreadGroup::broadcast(std::size_t rank, std::size_t root, std::span<float> values) {
  values_[rank] = values;
  meet();
  const auto begin = RunClock::now();
  if (rank != root) std::copy_n(values_[root].begin(), values.size(), values.begin());
  meet();
  return begin;
}

void ThreadGroup::meet() {
  std::unique_lock lock(mutex_);
  const unsigned meeting = meeting_;
  if (++present_ == values_.size()) {
    present_ = 0;
    ++meeting_;
    met_.notify_all();
    return;
  }
  control_.wait(lock, met_, [&] { return meeting_ != meeting; });
}

}  // namespace pipedeck
