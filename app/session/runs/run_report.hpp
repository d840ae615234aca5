// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison of a run with its prediction: a representative timeline, and the differences.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/model/run.hpp"
#include "core/model/simulation.hpp"
#include "core/sim/compare_timelines.hpp"

namespace pipedeck::session::runs {

/// Returns the measured timeline of median length (the earlier of two). The first is ignored if there are others, since
/// the first step also fills caches. Null if nothing was measured.
const MeasuredTimeline* typical_timeline(const std::vector<RunEvent>& events);

/// Returns the part of a prediction that was measured: the devices of the measured timeline, with the transfers between
/// them. A trace of one GPU then compares with one device of the plan. Returns `predicted` if all were measured.
std::shared_ptr<const Simulation> on_measured_devices(const std::shared_ptr<const Simulation>& predicted,
                                                      const std::vector<RunEvent>& events);

std::optional<sim::TimelineDifference> differences_of(const Simulation* predicted, const std::vector<RunEvent>& events);

}  // namespace pipedeck::session::runs
