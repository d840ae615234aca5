// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison of a run with its prediction: a representative timeline, and the differences.
#pragma once

#include <optional>
#include <vector>

#include "core/model/run.hpp"
#include "core/model/simulation.hpp"
#include "core/sim/compare_timelines.hpp"

namespace pipedeck::session::runs {

/// Returns the measured timeline of median length (the earlier of two). The first is ignored if there are others, since
/// the first step also fills caches. Null if nothing was measured.
const MeasuredTimeline* typical_timeline(const std::vector<RunEvent>& events);

std::optional<sim::TimelineDifference> differences_of(const Simulation* predicted, const std::vector<RunEvent>& events);

}  // namespace pipedeck::session::runs
