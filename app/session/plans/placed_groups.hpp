// SPDX-License-Identifier: GPL-3.0-or-later
// The groups of a plan's devices on its cluster (study::placement).
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/model/workload.hpp"
#include "core/study/placement/placed_groups.hpp"

namespace pipedeck::session::plans {

using study::placement::Grouping;
using study::placement::PlacedGroups;

/// Returns an entry for each grouping; bad_input as study::placement::placed_groups() and sim::Simulator::of() do.
Result<std::vector<PlacedGroups>> placed_groups(const Problem& problem, const Plan& plan);

}  // namespace pipedeck::session::plans
