// SPDX-License-Identifier: Apache-2.0
// From the engine's trace to the columns that views read, and the values derived from them.
#pragma once

#include "core/model/simulation.hpp"
#include "core/sim/engine/engine.hpp"
#include "core/sim/engine/input_times.hpp"
#include "core/sim/engine/intervals.hpp"

namespace pipedeck::sim {

/// A compute lane a device, a collective lane a device with all-reduces, a link lane a resource.
Timeline build_timeline(const engine::EngineInput& run, const engine::Trace& trace);

/// Time of [begin, end) in which no compute lane runs but a transfer or an all-reduce does.
Nanoseconds exposed_communication(const Timeline& timeline, Nanoseconds begin, Nanoseconds end);

/// A set of facts on a compute lane that a timeline does not show.
struct LaneFacts {
  bool synchronous = true;
  Nanoseconds synchronised;  ///< end of the last all-reduce that the lane waits for after its last pass
  const std::vector<std::size_t>& waits_of_second;  ///< rows joined to the next that waited for what that needs
  const std::vector<engine::OnTheWay>& inputs;
  const std::vector<engine::Interval>& reductions;  ///< of the lane's stages, apart and ascending
  const std::vector<TensorParallelTimes>& tensor_parallel;
  Nanoseconds gathered{};  ///< when the sharded weights of the lane's first pass are there
};

/// Busy time of one compute lane and why it was idle, within [begin, end): they add up to it exactly, and so do its
/// parts.
struct LaneTimes {
  Nanoseconds busy;
  IdleBreakdown idle;
  TimeBreakdown parts;
};
LaneTimes lane_times(const Timeline& timeline, const TimelineLane& lane, const LaneFacts& facts, Nanoseconds begin,
                     Nanoseconds end);

/// Returns the mean of the devices' parts. Idle time up to the busiest device's excess over the average one is
/// imbalance; what rounding leaves is bubble.
TimeBreakdown mean_parts(const std::vector<SimulatedDevice>& devices, Nanoseconds iteration);

}  // namespace pipedeck::sim
