// SPDX-License-Identifier: GPL-3.0-or-later
// The groups of a plan's devices on its cluster (study::placement).
#pragma once

#include <optional>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/workload.hpp"
#include "core/study/placement/placed_groups.hpp"

namespace pipedeck::session::plans {

using study::placement::Grouping;
using study::placement::PlacedGroups;

/// Returns an entry for each grouping; bad_input as study::placement::placed_groups() and sim::Simulator::of() do.
Result<std::vector<PlacedGroups>> placed_groups(const Problem& problem, const Plan& plan);

/// A plan with its ranks in the cluster's order (study::placement::placed_contiguously), and its groups.
struct ContiguousPlan {
  Plan plan;
  std::vector<PlacedGroups> groups;
  std::optional<Seconds> iteration;  ///< as simulated; absent: no simulation covers the plan
};
/// Returns nothing if the plan has this order, or breaks rules in it.
std::optional<ContiguousPlan> contiguous_plan(const Problem& problem, const Plan& plan);

}  // namespace pipedeck::session::plans
