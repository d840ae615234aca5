// SPDX-License-Identifier: GPL-3.0-or-later
// A run against its prediction: the timeline that stands for the run, and where it differs.
#pragma once

#include <optional>
#include <vector>

#include "core/domain/run.hpp"
#include "core/domain/simulation.hpp"
#include "core/sim/compare_timelines.hpp"

namespace pipedeck::app {

/// The measured timeline of median length (the earlier of two), leaving out the first where there are others: the first
/// step also fills caches. Null where nothing was measured.
const MeasuredTimeline* typical_timeline(const std::vector<RunEvent>& events);

std::optional<TimelineDifference> differences_of(const Simulation* predicted, const std::vector<RunEvent>& events);

}  // namespace pipedeck::app
