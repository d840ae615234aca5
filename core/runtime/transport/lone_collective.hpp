// SPDX-License-Identifier: Apache-2.0
// A collective with one simulated rank. It times the computation of a single rank and counts the all-reduces that the
// rank would do. No call waits. The member's own values replace those of the others, so that numbers remain sound.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "core/runtime/device.hpp"
#include "core/runtime/transport/counted_collective.hpp"

namespace pipedeck {

class LoneCollective final : public CountedCollective {
 public:
  /// `device` holds the values.
  LoneCollective(int rank, int size, std::shared_ptr<ComputeDevice> device = processor())
      : rank_(rank), size_(size), device_(std::move(device)) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Moment all_reduce(std::span<float> values) override { return counted(static_cast<double>(values.size_bytes())); }
  Moment all_reduce_max(std::span<float> values) override { return all_reduce(values); }
  Moment all_gather(std::span<const float> mine, std::span<float> all, std::span<const std::size_t> counts) override {
    float* to = all.data();
    for (const std::size_t count : counts)
      for (std::size_t done = 0; done < count;) {
        const std::size_t part = std::min(count - done, mine.size());
        device_->copy(to, mine.data(), static_cast<std::int64_t>(part));
        to += part, done += part;
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
  std::shared_ptr<ComputeDevice> device_;
};

}  // namespace pipedeck
