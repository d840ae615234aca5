// SPDX-License-Identifier: Apache-2.0
// The reasons for a plan's iteration time, as the simulator explains them (docs/simulator.md, "Explanations").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/simulation.hpp"
#include "core/model/timeline.hpp"

namespace pipedeck {

// --- critical path

/// A cause for which a link of the critical path waited: the end of the link before it.
enum class WaitCause : std::uint8_t {
  start,       ///< none: the iteration begins with it
  device,      ///< the previous operation on its device
  activation,  ///< the output that the previous stage sent or computed
  gradient,  ///< the gradient that the next stage sent or computed; for an all-reduce: the last gradients of its stage
  channel,   ///< for a transfer: another one occupied its path
  all_reduce,            ///< an all-reduce of its stage
  overlapped_operation,  ///< an operation of an overlapped pair, for the other one
};
inline constexpr int wait_cause_count = 7;
std::string_view name_of(WaitCause cause);  // "all_reduce"

/// An operation, transfer or all-reduce on the critical path, with its part [begin, end) of the path. It ends where the
/// next link begins. An all-reduce may begin before the end of the backward pass that it waits for.
struct CriticalSegment {
  std::size_t lane = 0, row = 0;  ///< position in the simulation's timeline: in `lanes`, and in the columns
  LaneRole role = LaneRole::compute;
  DeviceId device, to;  ///< device of the lane; `to`: for links only
  Operation operation;
  Nanoseconds begin, end;
  Nanoseconds slowed;  ///< with `shared`: the additional time due to contention; part of [begin, end)
  WaitCause cause = WaitCause::start;
  bool operator==(const CriticalSegment&) const = default;
};

/// A critical path from `begin` to `end` without gaps: of the iteration, or of an asynchronous plan's steady state.
struct CriticalPath {
  Nanoseconds begin, end;
  std::vector<CriticalSegment> links;
  bool operator==(const CriticalPath&) const = default;
};

/// A breakdown of a critical path: its time by kind of operation and by stage (of a transfer: the sending one), and its
/// wait causes.
struct CriticalShares {
  std::array<Nanoseconds, op_kind_count> by_kind{};
  std::vector<Nanoseconds> by_stage;
  std::array<int, wait_cause_count> causes{};  ///< number of links
  Nanoseconds slowed;
  bool operator==(const CriticalShares&) const = default;
};
CriticalShares shares_of(const CriticalPath& path, std::size_t stages);

// --- waterfall

/// A difference between two plans' iterations: `a.total()` + all of `change` = `b.total()`.
struct Waterfall {
  TimeBreakdown a, b;
  TimeBreakdown change;  ///< b - a for each part
  bool operator==(const Waterfall&) const = default;
};
Waterfall waterfall(const TimeBreakdown& a, const TimeBreakdown& b);

// --- sensitivity

enum class SensitivityKind : std::uint8_t { link_bandwidth, device_speed, device_memory };
inline constexpr int sensitivity_kind_count = 3;
std::string_view name_of(SensitivityKind kind);  // "link_bandwidth"

/// A link or device that is improved while all else stays the same.
struct SensitivityEntry {
  SensitivityKind kind = SensitivityKind::link_bandwidth;
  DeviceId device;       ///< for device_speed and device_memory
  std::string from, to;  ///< for link_bandwidth: nodes or switches; equal: the link inside a node
  Nanoseconds iteration;
  Nanoseconds gain;  ///< how much shorter; negative: longer
  bool operator==(const SensitivityEntry&) const = default;
};

enum class LeverKind : std::uint8_t {
  all_devices,    ///< speed of passes and memory of every device
  device_type,    ///< the same of all devices of one type
  device_memory,  ///< memory of every device
  links_inside,   ///< bandwidth inside all nodes
  links_between,  ///< bandwidth of all links between nodes
  micro_batches,  ///< number of micro-batches, and with it the global batch
};
inline constexpr int lever_kind_count = 6;
std::string_view name_of(LeverKind kind);  // "links_between"

/// A group of devices or links that is improved together, or more micro-batches, while all else stays the same.
struct SensitivityLever {
  LeverKind kind = LeverKind::all_devices;
  double factor = 1;
  std::string type;              ///< for device_type
  BytesPerSecond before, after;  ///< for links: the narrowest
  int micro_batches = 0;         ///< how many more
  Nanoseconds iteration;         ///< for as many samples as the plan's iteration has
  Nanoseconds gain;              ///< how much shorter; negative: longer
  bool operator==(const SensitivityLever&) const = default;
};

struct Sensitivity {
  double factor = 1.1;                    ///< factor by which each one is improved
  Nanoseconds iteration;                  ///< without any improvement
  std::vector<SensitivityEntry> entries;  ///< the largest gain first
  std::vector<SensitivityLever> levers;   ///< the largest gain first
  bool operator==(const Sensitivity&) const = default;
};

/// A group of entries of the same kind and the same gain, to the nanosecond. Devices are ascending, links in the given
/// order.
struct SensitivityGroup {
  std::vector<SensitivityEntry> entries;
  const SensitivityEntry& first() const { return entries.front(); }
  std::vector<DeviceId> devices() const;  ///< for device_speed and device_memory
};

/// Returns the groups in the order of their first entries: the largest gain first.
std::vector<SensitivityGroup> grouped(const Sensitivity& sensitivity);

}  // namespace pipedeck
