// SPDX-License-Identifier: Apache-2.0
// A collective with one simulated rank. It times the computation of a single rank and counts the all-reduces that the
// rank would do. No call waits. The member's own values replace those of the others, so that numbers remain sound.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "core/runtime/tensor/device.hpp"
#include "core/runtime/transport/counting_collective.hpp"

namespace pipedeck::runtime::transport {

class SingleRankCollective final : public CountingCollective {
 public:
  /// `device` holds the values.
  SingleRankCollective(int rank, int size, std::shared_ptr<tensor::ComputeDevice> device = tensor::cpu_device())
      : rank_(rank), size_(size), device_(std::move(device)) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  tensor::Completion all_reduce(std::span<float> values) override {
    return counted(static_cast<double>(values.size_bytes()));
  }
  tensor::Completion all_reduce_max(std::span<float> values) override { return all_reduce(values); }
  tensor::Completion all_gather(std::span<const float> mine, std::span<float> all,
                                std::span<const std::size_t> counts) override {
    float* to = all.data();
    for (const std::size_t count : counts)
      for (std::size_t done = 0; done < count;) {
        const std::size_t part = std::min(count - done, mine.size());
        device_->copy(to, mine.data(), static_cast<std::int64_t>(part));
        to += part, done += part;
      }
    return counted(static_cast<double>(all.size_bytes()) / 2);
  }
  tensor::Completion broadcast(int, std::span<float> values) override {
    return counted(static_cast<double>(values.size_bytes()) / 2);
  }

 private:
  tensor::Completion counted(double bytes) {
    count(bytes, {});
    return tensor::RunClock::now();
  }

  int rank_, size_;
  std::shared_ptr<tensor::ComputeDevice> device_;
};

}  // namespace pipedeck::runtime::transport
