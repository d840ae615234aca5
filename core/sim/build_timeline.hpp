// SPDX-License-Identifier: Apache-2.0
// From the engine's trace to the columns that views read, and the values derived from them.
#pragma once

#include "core/model/simulation.hpp"
#include "core/sim/engine/engine.hpp"

namespace pipedeck::sim {

/// A compute lane a device, a collective lane a device with all-reduces, a link lane a resource.
Timeline build_timeline(const engine::EngineInput& run, const engine::Trace& trace);

/// Time of [begin, end) in which no compute lane runs but a transfer or an all-reduce does.
Nanoseconds exposed_communication(const Timeline& timeline, Nanoseconds begin, Nanoseconds end);

/// Busy time of one compute lane and why it was idle, within [begin, end): they add up to it exactly.
struct LaneTimes {
  Nanoseconds busy;
  IdleBreakdown idle;
};
/// `synchronised`: end of the last all-reduce that the lane waits for after its last pass. `waits_of_second`: rows of
/// the lane that are joined to the next one and waited for what that needs (joined_waits.hpp).
LaneTimes lane_times(const Timeline& timeline, const TimelineLane& lane, Nanoseconds synchronised, Nanoseconds begin,
                     Nanoseconds end, const std::vector<std::size_t>& waits_of_second = {});

}  // namespace pipedeck::sim
