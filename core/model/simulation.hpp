// SPDX-License-Identifier: Apache-2.0
// The simulator's result for a plan (formats.md, "Simulation").
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/model/timeline.hpp"
#include "core/model/workload.hpp"

namespace pipedeck {

enum class MemoryItem : std::uint8_t {
  weights,
  gradients,
  optimizer,
  stashed_weights,
  activations,
  boundary,
  workspace,
  communication,
  reserve,
};
inline constexpr int memory_item_count = 9;
std::string_view name_of(MemoryItem item);  // "stashed_weights"

/// A number of bytes by item; `total` is their sum.
struct MemoryBreakdown {
  std::array<Bytes, memory_item_count> bytes{};
  bool operator==(const MemoryBreakdown&) const = default;
  Bytes& operator[](MemoryItem item) { return bytes[static_cast<std::size_t>(item)]; }
  Bytes operator[](MemoryItem item) const { return bytes[static_cast<std::size_t>(item)]; }
  Bytes total() const;
};

/// A point of a memory curve: the sum of all items from `time` on, until the next point.
struct MemoryPoint {
  Nanoseconds time;
  Bytes bytes;
  bool operator==(const MemoryPoint&) const = default;
};

/// A breakdown of a device's idle time by cause. Its sum and the busy time add up to the iteration.
struct IdleBreakdown {
  Nanoseconds warmup, drain, waiting_activation, waiting_gradient, waiting_all_reduce;
  bool operator==(const IdleBreakdown&) const = default;
  IdleBreakdown& operator+=(const IdleBreakdown& other);
  Nanoseconds total() const { return warmup + drain + waiting_activation + waiting_gradient + waiting_all_reduce; }
};

/// A part of an iteration, in this order. From `tensor_parallel` on, they are exposed communication.
enum class TimePart : std::uint8_t {
  compute,          ///< forward and backward passes without the communication inside them
  imbalance,        ///< idle: the busiest device's excess over the average one
  bubble,           ///< idle otherwise: fill, drain, and waits for what other stages still compute
  recompute,        ///< recomputed forwards without the communication inside them
  optimizer,        ///< optimizer steps
  tensor_parallel,  ///< collectives of tensor-parallel ranks inside the passes
  context_parallel,
  expert_parallel,
  gather,          ///< waits for sharded weights, and for scatters of their gradients
  point_to_point,  ///< idle while an input is computed and on its way
  all_reduce,      ///< idle while gradients of the device's stages are all-reduced
};
inline constexpr int time_part_count = 11;
std::string_view name_of(TimePart part);  // "point_to_point"
/// Returns true for parts that every plan has; the others need degrees of plan format version 2.
constexpr bool is_of_all_plans(TimePart part) {
  return part != TimePart::context_parallel && part != TimePart::expert_parallel && part != TimePart::gather;
}

/// A breakdown of one iteration: device time by what the device does. The parts' sum is the iteration.
struct TimeBreakdown {
  std::array<Nanoseconds, time_part_count> times{};
  bool operator==(const TimeBreakdown&) const = default;
  Nanoseconds& operator[](TimePart part) { return times[static_cast<std::size_t>(part)]; }
  Nanoseconds operator[](TimePart part) const { return times[static_cast<std::size_t>(part)]; }
  Nanoseconds total() const;
  /// Returns the exposed communication.
  Nanoseconds communication() const;
  /// Returns `part / total()`, 0 of nothing.
  double share(Nanoseconds part) const;
};

/// The exposed communication inside the passes of a stage on a device: its part of an operation of each kind.
struct TensorParallelTimes {
  StageId stage;
  std::array<Nanoseconds, op_kind_count> times{};
  bool operator==(const TensorParallelTimes&) const = default;
};

struct SimulatedDevice {
  DeviceId device;
  std::vector<DeviceId> twins{};  ///< further devices with the same figures and operations, ascending: simulated once
  Nanoseconds busy;               ///< forward, backward, recompute, optimizer
  IdleBreakdown idle;
  TimeBreakdown parts;                               ///< without imbalance, which compares devices
  std::vector<TensorParallelTimes> tensor_parallel;  ///< by stage; empty without tensor parallelism
  Bytes peak;                                        ///< the curve's highest point
  Bytes peak_upper_bound;  ///< upper bound whatever the durations of operations, including fragmentation
  Bytes capacity;
  Nanoseconds peak_time;
  MemoryBreakdown peak_breakdown;           ///< the items at the peak
  int peak_micro_batches = 0;               ///< maximum number of micro-batches with saved activations at the same time
  std::vector<MemoryPoint> curve;           ///< first point at 0
  std::vector<MemoryBreakdown> item_curve;  ///< the items at each point of `curve`; only on request
  bool operator==(const SimulatedDevice&) const = default;
};

struct Simulation {
  NetworkModel network = NetworkModel::ideal;
  Overlap overlap = Overlap::layer;
  Collectives collectives = Collectives::best_ring;
  Nanoseconds iteration;
  /// The longest time of a device from its first operation to the end of its step; asynchronous: `iteration`.
  Nanoseconds longest_span;
  /// The time from one iteration to the next if no device waits for another before its step; absent: not requested.
  std::optional<Nanoseconds> period{};
  double samples_per_second = 0;
  double bubble_fraction = 0;  ///< 1 - sum of busy / (devices x iteration)
  double communication_fraction =
      0;  ///< iteration time in which no compute lane runs but a transfer or all-reduce does
  bool fits = true;
  double fragmentation = 0;              ///< as assumed for the upper bounds (SimulationOptions)
  IdleBreakdown idle;                    ///< summed over devices
  TimeBreakdown parts;                   ///< of the iteration: the mean of the devices
  std::vector<SimulatedDevice> devices;  ///< devices that the plan uses, ascending, without twins
  Timeline timeline;
  std::string extra;  ///< unknown members, as JSON text
  bool operator==(const Simulation&) const = default;
};

/// Returns the number of devices, twins too.
std::size_t num_devices(const Simulation& simulation);

}  // namespace pipedeck
