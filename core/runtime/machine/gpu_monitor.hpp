// SPDX-License-Identifier: Apache-2.0
// A monitor that polls a run's GPUs through NVML in a separate thread. NVML calls take as long as the driver needs, and
// calls for a GPU that fell off the bus may not return.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/gpu_sample.hpp"

namespace pipedeck::runtime::machine {

/// A device of the plan and its GPU, as CUDA names it. CUDA and NVML number GPUs differently (CUDA_VISIBLE_DEVICES,
/// CUDA_DEVICE_ORDER).
struct PlacedGpu {
  int device = 0;
  std::string name;
  std::string uuid;  ///< "7e6a1c0e-..."; a MIG slice has its own
  std::string bus;   ///< "00000000:01:00.0"
};

/// The throttling of a GPU so far.
struct ThrottleState {
  std::uint32_t limits = 0;            ///< set of ClockLimits
  std::optional<double> lowest_clock;  ///< MHz, while any limit was active
};

class GpuMonitor {
 public:
  static constexpr std::chrono::milliseconds default_every{200};
  /// Maximum wait for a driver that does not answer.
  static constexpr std::chrono::milliseconds patience{2000};

  /// Starts polling the GPUs; those that NVML does not find are omitted. io: there is no NVML, it does not answer, or
  /// it finds none of them.
  static Result<std::unique_ptr<GpuMonitor>> open(const std::vector<PlacedGpu>& placed,
                                                  std::chrono::milliseconds every = default_every);
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;

  /// Returns each GPU once, with its first device.
  const std::vector<RunGpu>& gpus() const { return gpus_; }
  /// Returns the latest reading of each of gpus(). Any thread may call it; it does not wait.
  std::vector<GpuSample> latest() const;
  std::vector<ThrottleState> throttle_state() const;

  struct Sums {
    std::vector<std::optional<double>> energy;  ///< joules since open(), of each of gpus()
    std::optional<Seconds> poll;                ///< mean time of polling all GPUs; empty: no poll has ended
  };
  /// Polls for the last time.
  Sums finish();

 private:
  struct State;
  explicit GpuMonitor(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;  ///< shared with the thread, which is detached if the driver does not return
  std::vector<RunGpu> gpus_;
};

}  // namespace pipedeck::runtime::machine
