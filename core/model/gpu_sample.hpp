// SPDX-License-Identifier: Apache-2.0
// A GPU's state while it works, as reported by its driver: power, clock, memory, temperature, and reasons for
// throttling. A field that the driver does not report is absent. For example, a MIG slice has no power of its own, and
// older boards have no energy counter.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.hpp"

namespace pipedeck {

/// A reason for clocks below the maximum, with the bits of NVML's clocks event reasons and nvidia-smi's names.
enum class ThrottleReason : std::uint32_t {
  applications_clocks_setting = 0x2,
  sw_power_cap = 0x4,
  hw_slowdown = 0x8,
  sync_boost = 0x10,
  sw_thermal_slowdown = 0x20,
  hw_thermal_slowdown = 0x40,
  hw_power_brake_slowdown = 0x80,
  display_clock_setting = 0x100,
};

struct NamedClockLimit {
  ThrottleReason limit;
  std::string_view name;
};
inline constexpr std::array<NamedClockLimit, 8> clock_limits{
    {{ThrottleReason::applications_clocks_setting, "applications_clocks_setting"},
     {ThrottleReason::sw_power_cap, "sw_power_cap"},
     {ThrottleReason::hw_slowdown, "hw_slowdown"},
     {ThrottleReason::sync_boost, "sync_boost"},
     {ThrottleReason::sw_thermal_slowdown, "sw_thermal_slowdown"},
     {ThrottleReason::hw_thermal_slowdown, "hw_thermal_slowdown"},
     {ThrottleReason::hw_power_brake_slowdown, "hw_power_brake_slowdown"},
     {ThrottleReason::display_clock_setting, "display_clock_setting"}}};

constexpr bool holds(std::uint32_t limits, ThrottleReason limit) {
  return (limits & static_cast<std::uint32_t>(limit)) != 0;
}

/// A sample of a GPU's state.
struct GpuSample {
  std::optional<double> power;          ///< watts, of the whole board
  std::optional<Bytes> memory;          ///< in use by all processes
  std::optional<double> clock;          ///< clock of the multiprocessors, MHz
  std::optional<double> utilization;    ///< fraction of the time in which a kernel ran, [0, 1]
  std::optional<double> temperature;    ///< degrees Celsius
  std::optional<std::uint32_t> limits;  ///< active ClockLimits, bitwise or; 0: none, or the GPU idles
  bool operator==(const GpuSample&) const = default;
};

/// A GPU of a run, or a slice of one.
struct RunGpu {
  std::vector<int> devices;  ///< the plan's devices that compute on it
  std::string name, uuid, bus;
  std::optional<Bytes> memory;        ///< capacity
  std::optional<double> power_limit;  ///< watts
  std::optional<double> max_clock;    ///< MHz
  bool operator==(const RunGpu&) const = default;
};

}  // namespace pipedeck
