// SPDX-License-Identifier: Apache-2.0
// An estimate of the offset of another machine's clock, from requests that it answered with its time. The fastest
// exchange counts; its error is at most half of its duration (Cristian, "Probabilistic clock synchronization", 1989).
// Clocks drift, so older exchanges count less.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>

namespace pipedeck::runtime::mpi {

class ClockOffset {
 public:
  /// Adds an exchange. All times are in ns: our time of the request, their time of the answer, our time of its arrival.
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
  /// Returns the offset to add to our time; 0 before the first exchange.
  std::int64_t offset() const { return offset_; }

 private:
  static constexpr std::size_t kept = 128;
  static constexpr std::int64_t drift = 20000;  ///< of quartz: 50 parts per million
  struct Sample {
    std::int64_t offset, round_trip, at;
  };
  std::deque<Sample> samples_;
  std::int64_t offset_ = 0;
};

}  // namespace pipedeck::runtime::mpi
