// SPDX-License-Identifier: Apache-2.0
// One member of a group whose others are not there: to time what a rank computes by itself, and to count what it would
// have all-reduced, and how often. Nothing waits; what others would have given is the member's own again, so that
// numbers stay sound.
#pragma once

#include <algorithm>

#include "core/runtime/transport/counted_collective.hpp"

namespace pipedeck {

class LoneCollective final : public CountedCollective {
 public:
  LoneCollective(int rank, int size) : rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Moment all_reduce(std::span<float> values) override { return counted(static_cast<double>(values.size_bytes())); }
  Moment all_reduce_max(std::span<float> values) override { return all_reduce(values); }
  Moment all_gather(std::span<const float> mine, std::span<float> all, std::span<const std::size_t> counts) override {
    auto to = all.begin();
    for (const std::size_t count : counts)
      for (std::size_t done = 0; done < count;) {
        const std::size_t part = std::min(count - done, mine.size());
        to = std::copy_n(mine.begin(), part, to);
        done += part;
      }
    return counted(static_cast<double>(all.size_bytes()) / 2);
  }
  Moment broadcast(int, std::span<float> values) override {
    return counted(static_cast<double>(values.size_bytes()) / 2);
  }

 private:
  Moment counted(double bytes) {
    count(bytes, {});
    return RunClock::now();
  }

  int rank_, size_;
};

}  // namespace pipedeck
