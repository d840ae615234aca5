// SPDX-License-Identifier: Apache-2.0
// Looks at a run's GPUs through NVIDIA's management library, from a thread of its own: its calls take as long as the
// driver likes, and those of a GPU that fell off the bus may not return.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/domain/gpu_reading.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

/// A device of the plan and the GPU that computes for it, as CUDA names it: CUDA and NVML count GPUs differently
/// (CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER).
struct PlacedGpu {
  int device = 0;
  std::string name;
  std::string uuid;  ///< "7e6a1c0e-...", of a MIG slice its own
  std::string bus;   ///< "00000000:01:00.0"
};

/// What was seen to hold a GPU's clocks back so far.
struct HeldBack {
  std::uint32_t limits = 0;            ///< ClockLimits, added
  std::optional<double> lowest_clock;  ///< MHz, while any of them held
};

class GpuWatch {
 public:
  static constexpr std::chrono::milliseconds default_every{200};
  /// How long is waited for a driver that does not answer.
  static constexpr std::chrono::milliseconds patience{2000};

  /// GPUs that NVML does not find are left out. io: there is no NVML, it does not answer, or knows none of them.
  static Result<std::unique_ptr<GpuWatch>> open(const std::vector<PlacedGpu>& placed,
                                                std::chrono::milliseconds every = default_every);
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  /// Each once, by its first device.
  const std::vector<RunGpu>& gpus() const { return gpus_; }
  /// Of each of gpus(); from any thread, at once.
  std::vector<GpuReading> latest() const;
  std::vector<HeldBack> held_back() const;

  struct Sums {
    std::vector<std::optional<double>> energy;  ///< joules since open(), of each of gpus()
    std::optional<Seconds> look;                ///< mean time of one look at all of them; none: none ended
  };
  /// Looks for the last time.
  Sums finish();

 private:
  struct State;
  explicit GpuWatch(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;  ///< also the thread's, which is left behind where the driver does not return
  std::vector<RunGpu> gpus_;
};

}  // namespace pipedeck
