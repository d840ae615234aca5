// SPDX-License-Identifier: Apache-2.0
// Predicted against measured: where the time went, by kind of operation.
#pragma once

#include <vector>

#include "core/model/simulation.hpp"
#include "core/model/timeline.hpp"

namespace pipedeck::sim {

struct KindDifference {
  OpKind kind;
  int predicted_count = 0, measured_count = 0;
  Seconds predicted, measured;  ///< mean time of one iteration spent in this kind, summed over devices
  bool operator==(const KindDifference&) const = default;
};

struct TimelineDifference {
  std::vector<KindDifference> kinds;      ///< those that occur in either, in OpKind order
  Seconds predicted_idle, measured_idle;  ///< compute lanes, summed over devices
  Seconds predicted_iteration, measured_iteration;
  int predicted_devices = 0, measured_devices = 0;
  bool operator==(const TimelineDifference&) const = default;
};

TimelineDifference difference(const Timeline& predicted, const Timeline& measured);

/// Compares one step of a run. An asynchronous plan's prediction shows many steps, and those of a run overlap. So as
/// many operations of each kind as were measured are taken at their mean time, and the predicted time from one step to
/// the next is compared with `step`, the measured one.
TimelineDifference compare_step(const Simulation& predicted, const Timeline& measured, Seconds step);

}  // namespace pipedeck::sim
