// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/replica_group.hpp"

namespace pipedeck {

RunClock::time_point ReplicaGroup::all_reduce(int replica, std::span<float> values, RunControl& control) {
  const auto index = static_cast<std::size_t>(replica);
  values_[index] = values;
  meet(control);
  const auto begin = RunClock::now();
  reduce_chunk(index);
  meet(control);
  return begin;
}

void ReplicaGroup::meet(RunControl& control) {
  std::unique_lock lock(mutex_);
  const unsigned meeting = meeting_;
  if (++present_ == values_.size()) {
    present_ = 0;
    ++meeting_;
    met_.notify_all();
    return;
  }
  control.wait(lock, met_, [&] { return meeting_ != meeting; });
}

void ReplicaGroup::reduce_chunk(std::size_t replica) {
  const std::size_t size = values_[0].size(), replicas = values_.size();
  const std::size_t end = size * (replica + 1) / replicas;
  for (std::size_t i = size * replica / replicas; i < end; ++i) {
    float sum = values_[0][i];
    for (std::size_t other = 1; other < replicas; ++other) sum += values_[other][i];
    for (std::size_t other = 0; other < replicas; ++other) values_[other][i] = sum;
  }
}

}  // namespace pipedeck
