// SPDX-License-Identifier: Apache-2.0
// Collectives of workers that are threads of one process. In an all-reduce each member adds up one part of all values
// and writes the sum to all: a reduce-scatter and an all-gather in one pass. Sums run in rank order, so that the result
// does not depend on timing.
#pragma once

#include <span>
#include <vector>

#include "core/runtime/transport/barrier.hpp"

namespace pipedeck::runtime::transport {

class ThreadGroup {
 public:
  ThreadGroup(std::size_t members, RunControl& control)
      : all_(members, control), values_(members), given_(members), given_counts_(members) {}
  std::size_t size() const { return values_.size(); }

  // The operations of Collective, each with the caller's rank. All throw Interrupted.
  tensor::RunClock::time_point all_reduce(std::size_t rank, std::span<float> values);
  tensor::RunClock::time_point all_reduce_max(std::size_t rank, std::span<float> values);
  tensor::RunClock::time_point all_gather(std::size_t rank, std::span<const float> mine, std::span<float> all,
                                          std::span<const std::size_t> counts);
  tensor::RunClock::time_point reduce_scatter(std::size_t rank, std::span<const float> values, std::span<float> mine,
                                              std::span<const std::size_t> counts);
  tensor::RunClock::time_point all_to_all(std::size_t rank, std::span<const float> to,
                                          std::span<const std::size_t> to_counts, std::span<float> from,
                                          std::span<const std::size_t> from_counts);
  tensor::RunClock::time_point broadcast(std::size_t rank, std::size_t root, std::span<float> values);

 private:
  template <class Combine>
  tensor::RunClock::time_point reduce(std::size_t rank, std::span<float> values, Combine combine);
  /// Combines the members' given values [first, end) in rank order. Calls write(position, sums) block by block.
  template <class Combine, class Write>
  void combine_given(std::size_t first, std::size_t end, Combine combine, Write write) const;

  Barrier all_;
  std::vector<std::span<float>> values_;                    ///< one per member
  std::vector<std::span<const float>> given_;               ///< one per member, inputs that are not changed
  std::vector<std::span<const std::size_t>> given_counts_;  ///< one per member, of an all-to-all
};

}  // namespace pipedeck::runtime::transport
