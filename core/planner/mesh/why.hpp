// SPDX-License-Identifier: Apache-2.0
// Sentences on a mesh: what binds it, and what one step along each dimension would cost.
#pragma once

#include <string>
#include <vector>

#include "core/planner/mesh/search.hpp"

namespace pipedeck::planner::mesh {

/// Returns "TP 8 · CP 2 · PP 16 × 8 · DP 8 · ZeRO-1": degrees above 1, sharding, recomputation.
std::string name_of(const Space& space, const Point& point);

/// Returns sentences: the parts of the step, the memory, which of them binds with the single step that would move it,
/// which comes next, groups that leave an NVLink domain, and the next degrees of each dimension: slower by how much,
/// without room, or not admissible.
Result<std::vector<std::string>> why(const Question& base, const Space& space, Costs& costs, const Simulated& mesh,
                                     const Simulate& simulate);

/// Returns "no mesh fits ..." with the least memory that one needs.
std::string why_none(const Space& space, const Found& found, int devices);

}  // namespace pipedeck::planner::mesh
