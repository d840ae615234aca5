// SPDX-License-Identifier: Apache-2.0
// One member of a group whose others are not there: to time what a rank computes by itself, and to count what it would
// have all-reduced, and how often. Nothing waits; what others would have given is the member's own again, so that
// numbers stay sound.
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

  Moment all_reduce(std::span<float> values) override { return count(static_cast<double>(values.size_bytes())); }
  Moment all_reduce_max(std::span<float> values) override { return all_reduce(values); }
  Moment all_gather(std::span<const float> mine, std::span<float> all, std::span<const std::size_t> counts) override {
    auto to = all.begin();
    for (const std::size_t count : counts)
      for (std::size_t done = 0; done < count;) {
        const std::size_t part = std::min(count - done, mine.size());
        to = std::copy_n(mine.begin(), part, to);
        done += part;
      }
    return count(static_cast<double>(all.size_bytes()) / 2);
  }
  Moment broadcast(int, std::span<float> values) override {
    return count(static_cast<double>(values.size_bytes()) / 2);
  }

  struct Taken {
    Bytes bytes;
    int meetings = 0;  ///< collectives, each of which all members wait for
    bool operator==(const Taken&) const = default;
  };
  /// Since the last time, bytes as TensorParallelPoint counts: of what was gathered or broadcast half, for a ring
  /// all-reduce is a reduce-scatter and a gather of as many bytes.
  Taken take_all_reduced() {
    const Taken taken{Bytes(std::llround(bytes_)), meetings_};
    bytes_ = 0, meetings_ = 0;
    return taken;
  }

 private:
  Moment count(double bytes) {
    bytes_ += bytes, ++meetings_;
    return RunClock::now();
  }

  int rank_, size_;
  double bytes_ = 0;
  int meetings_ = 0;
};

}  // namespace pipedeck
