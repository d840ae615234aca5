// SPDX-License-Identifier: Apache-2.0
// One member of a group whose others are not there: to time what a rank computes by itself, and to count what it would
// have all-reduced. Nothing waits; what others would have given is the member's own again, so that numbers stay sound.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/runtime/transport/transport.hpp"

namespace pipedeck {

class LoneCollective final : public Collective {
 public:
  LoneCollective(int rank, int size) : rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  RunClock::time_point all_reduce(std::span<float> values) override {
    bytes_ += static_cast<double>(values.size_bytes());
    return RunClock::now();
  }
  RunClock::time_point all_reduce_max(std::span<float> values) override { return all_reduce(values); }
  RunClock::time_point all_gather(std::span<const float> mine, std::span<float> all,
                                  std::span<const std::size_t> counts) override {
    bytes_ += static_cast<double>(all.size_bytes()) / 2;
    auto to = all.begin();
    for (const std::size_t count : counts)
      for (std::size_t done = 0; done < count;) {
        const std::size_t part = std::min(count - done, mine.size());
        to = std::copy_n(mine.begin(), part, to);
        done += part;
      }
    return RunClock::now();
  }
  RunClock::time_point broadcast(int, std::span<float> values) override {
    bytes_ += static_cast<double>(values.size_bytes()) / 2;
    return RunClock::now();
  }

  /// Since the last time, as TensorParallelPoint counts: of what was gathered or broadcast half, for a ring all-reduce
  /// is a reduce-scatter and a gather of as many bytes.
  Bytes take_all_reduced() {
    const Bytes taken(std::llround(bytes_));
    bytes_ = 0;
    return taken;
  }

 private:
  int rank_, size_;
  double bytes_ = 0;
};

}  // namespace pipedeck
