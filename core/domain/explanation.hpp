// SPDX-License-Identifier: Apache-2.0
// Why a plan takes as long as it does, as the judge explains it (docs/simulator.md, "Explanations").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/domain/simulation.hpp"
#include "core/domain/timeline.hpp"

namespace pipedeck {

// --- critical path

/// What a link of the critical path waited for: the end of the link before it.
enum class WaitCause : std::uint8_t {
  start,       ///< nothing: the iteration begins with it
  device,      ///< the operation before it on its device
  activation,  ///< what the stage before sent, or has computed
  gradient,    ///< what the stage behind sent or has computed; of an all-reduce: the last gradients of its stage
  channel,     ///< a transfer: another one held its way
  all_reduce,  ///< an all-reduce of its stage
  joined,      ///< an operation that is joined to the one that it needs
};
inline constexpr int wait_cause_count = 7;
std::string_view name_of(WaitCause cause);  // "all_reduce"

/// An operation, a transfer or an all-reduce that decides the iteration: its part [begin, end) of the path. It ends
/// where the next one begins; an all-reduce may begin before the backward pass is over that it waits for.
struct CriticalLink {
  std::size_t lane = 0, row = 0;  ///< in the timeline of the plan's simulation: position in `lanes`, in the columns
  LaneRole role = LaneRole::compute;
  DeviceId device, to;  ///< of the lane; `to`: of links
  Operation operation;
  Nanoseconds begin, end;
  Nanoseconds slowed;  ///< `shared`: how much longer it took than alone; part of [begin, end)
  WaitCause cause = WaitCause::start;
  bool operator==(const CriticalLink&) const = default;
};

/// From `begin` to `end` without gaps: of the iteration, or of the steady state of an asynchronous plan.
struct CriticalPath {
  Nanoseconds begin, end;
  std::vector<CriticalLink> links;
  bool operator==(const CriticalPath&) const = default;
};

/// How long a path is in each kind of operation, on each stage (of a transfer: the sending one), and by cause of wait.
struct CriticalShares {
  std::array<Nanoseconds, op_kind_count> by_kind{};
  std::vector<Nanoseconds> by_stage;
  std::array<int, wait_cause_count> causes{};  ///< links
  Nanoseconds slowed;
  bool operator==(const CriticalShares&) const = default;
};
CriticalShares shares_of(const CriticalPath& path, std::size_t stages);

// --- waterfall

/// What an iteration consists of, in this order.
enum class TimePart : std::uint8_t {
  compute,          ///< forward and backward passes of the average device
  imbalance,        ///< of the busiest device, more than of the average one
  bubble,           ///< what the passes take beyond the busiest device's, without communication
  recompute,        ///< what the iteration loses to recomputation
  optimizer,        ///< to optimizer steps
  tensor_parallel,  ///< to all-reduces inside the passes
  point_to_point,   ///< to transfers between stages
  all_reduce,       ///< to all-reduces of gradients: their tail
};
inline constexpr int time_part_count = 8;
std::string_view name_of(TimePart part);  // "point_to_point"

/// The parts of one iteration; they add up to it to the nanosecond.
struct TimeParts {
  std::array<Nanoseconds, time_part_count> times{};
  bool operator==(const TimeParts&) const = default;
  Nanoseconds& operator[](TimePart part) { return times[static_cast<std::size_t>(part)]; }
  Nanoseconds operator[](TimePart part) const { return times[static_cast<std::size_t>(part)]; }
  Nanoseconds total() const;
};

/// From one plan's iteration to another's: `a.total()` + all of `change` = `b.total()`.
struct Waterfall {
  TimeParts a, b;
  TimeParts change;  ///< b - a, part by part
  bool operator==(const Waterfall&) const = default;
};
Waterfall waterfall(const TimeParts& a, const TimeParts& b);

// --- sensitivity

enum class SensitivityKind : std::uint8_t { link_bandwidth, device_speed, device_memory };
inline constexpr int sensitivity_kind_count = 3;
std::string_view name_of(SensitivityKind kind);  // "link_bandwidth"

/// One link or device made better, all else as it is.
struct SensitivityEntry {
  SensitivityKind kind = SensitivityKind::link_bandwidth;
  DeviceId device;       ///< of device_speed and device_memory
  std::string from, to;  ///< of link_bandwidth: nodes or switches; the same node: the link inside it
  Nanoseconds iteration;
  Nanoseconds gain;  ///< how much shorter; below 0: longer
  bool operator==(const SensitivityEntry&) const = default;
};

struct Sensitivity {
  double factor = 1.1;                    ///< how many times better each one is made
  Nanoseconds iteration;                  ///< as it is
  std::vector<SensitivityEntry> entries;  ///< the largest gain first
  bool operator==(const Sensitivity&) const = default;
};

}  // namespace pipedeck
