// SPDX-License-Identifier: Apache-2.0
// How far another machine's clock is from ours, from questions that it answered with its time: the answer of the
// quickest exchange counts, off by half of that exchange at most (Cristian, "Probabilistic clock synchronization",
// 1989). Clocks drift, so an exchange counts for less the older it is.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>

namespace pipedeck {

class ClockOffset {
 public:
  /// All in ns: our time when asking, theirs when answering, ours when the answer came.
  void add(std::int64_t asked, std::int64_t there, std::int64_t answered) {
    samples_.push_back({there - (asked + (answered - asked) / 2), answered - asked, answered});
    if (samples_.size() > kept) samples_.pop_front();
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Sample& sample : samples_) {
      const std::int64_t doubt = sample.round_trip + (answered - sample.at) / drift;
      if (doubt >= least) continue;
      least = doubt;
      offset_ = sample.offset;
    }
  }
  /// To add to our time; 0 before the first exchange.
  std::int64_t offset() const { return offset_; }

 private:
  static constexpr std::size_t kept = 128;
  static constexpr std::int64_t drift = 20000;  ///< quartz: 50 millionths
  struct Sample {
    std::int64_t offset, round_trip, at;
  };
  std::deque<Sample> samples_;
  std::int64_t offset_ = 0;
};

}  // namespace pipedeck
