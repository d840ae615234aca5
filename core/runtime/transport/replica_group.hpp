// SPDX-License-Identifier: Apache-2.0
// All-reduce among the replicas of a stage, as threads of one process: each sums one chunk of everybody's values and
// writes the sum to everybody (reduce-scatter and all-gather in one pass). Sums run in replica order whoever comes
// first, so that the result does not depend on timing.
#pragma once

#include <condition_variable>
#include <mutex>
#include <span>
#include <vector>

#include "core/runtime/transport/control.hpp"

namespace pipedeck {

class ReplicaGroup {
 public:
  explicit ReplicaGroup(int replicas) : values_(static_cast<std::size_t>(replicas)) {}

  /// Called by every replica with as many values. Returns when all were there, which is when the work begins; all
  /// replicas hold the sums on return. Throws Interrupted.
  RunClock::time_point all_reduce(int replica, std::span<float> values, RunControl& control);

 private:
  void meet(RunControl& control);
  void reduce_chunk(std::size_t replica);

  std::mutex mutex_;
  std::condition_variable met_;
  std::size_t present_ = 0;
  unsigned meeting_ = 0;
  std::vector<std::span<float>> values_;  ///< a replica
};

}  // namespace pipedeck
