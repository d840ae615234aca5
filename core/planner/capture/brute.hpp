// SPDX-License-Identifier: Apache-2.0
// mCAP-BF: enumerates every partition, with every choice of degrees for hybrid plans.
#pragma once

#include "core/planner/capture/search.hpp"

namespace pipedeck::planner::capture {

inline constexpr double brute_force_limit = 5e6;
/// Partitions of the space, before any is found not to fit.
double partition_count(const Space& space);

/// Returns the partitions of the least highest peak in lexicographic order, up to `most`; none if none fits.
std::vector<Partition> brute_force_partitions(Space& space, std::size_t most, const Watch& watch, bool& truncated);

}  // namespace pipedeck::planner::capture
