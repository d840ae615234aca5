// SPDX-License-Identifier: Apache-2.0
// Periodic samples of the devices' activity, independent of the step's duration: within a step of seconds, and across
// many short ones. Nothing between two samples is lost: busy time is a running sum.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/units.hpp"
#include "core/model/run.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::exec {

/// A counter of one device's busy time, including the active operation. The device's own thread writes it and any
/// thread reads it. It is a single number, so that no reader sees half of a change.
class BusyMeter {
 public:
  using Clock = std::chrono::steady_clock;

  void begin(Clock::time_point now) noexcept { state_.store(((sum() - count(now)) << 1) | 1); }
  void end(Clock::time_point now) noexcept { state_.store((sum() + count(now)) << 1); }
  /// Adds operations that were not counted one by one: a device reports them at the end of a step.
  void add(Nanoseconds busy) noexcept { state_.store((sum() + busy.count) << 1); }
  Nanoseconds busy(Clock::time_point now) const noexcept {
    const std::int64_t state = state_.load();
    return Nanoseconds((state & 1) != 0 ? (state >> 1) + count(now) : state >> 1);
  }

 private:
  static std::int64_t count(Clock::time_point time) noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  }
  std::int64_t sum() const noexcept { return state_.load() >> 1; }

  /// Twice the sum of finished operations. During an operation its begin is subtracted and the number is odd.
  std::atomic<std::int64_t> state_{0};
};

struct SampledDevice {
  std::shared_ptr<const BusyMeter> meter;
  std::shared_ptr<const tensor::DeviceMemory> memory;
};

/// A thread that emits a RunSample, with the latest readings of `gpus`, every `every` from construction on. It emits a
/// last one when it ends, unless that would cover less than half of `every`.
class Sampler {
 public:
  Sampler(std::chrono::milliseconds every, std::vector<SampledDevice> devices,
          std::function<void(const RunEvent&)> sink, std::function<std::vector<GpuSample>()> gpus = {});
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

 private:
  using Clock = BusyMeter::Clock;
  void watch();
  RunSample look(Clock::time_point now);

  const std::chrono::milliseconds every_;
  const std::vector<SampledDevice> devices_;
  const std::function<void(const RunEvent&)> sink_;
  const std::function<std::vector<GpuSample>()> gpus_;
  const Clock::time_point begin_;
  Clock::time_point last_;
  std::vector<Nanoseconds> busy_;  ///< at the last sample
  std::mutex mutex_;
  std::condition_variable ends_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace pipedeck::runtime::exec
