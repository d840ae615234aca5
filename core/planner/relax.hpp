// SPDX-License-Identifier: Apache-2.0
// What would help where no plan fits, beside more memory: tried out, never guessed.
#pragma once

#include <string>
#include <vector>

#include "core/planner/planner.hpp"

namespace pipedeck {

/// The nearest other micro-batch, recomputation, the fewest nodes more: each with which the planner does find a plan,
/// in words. Empty where none of them helps.
Result<std::vector<std::string>> relaxations(const PlannerInfo& planner, const Problem& problem,
                                             const PlannerOptions& options, const PlannerContext& context);

/// The cluster with `count` more nodes like its last, linked as that is; nothing where a matrix gives the bandwidths.
std::optional<Cluster> with_more_nodes(const Cluster& cluster, int count);

}  // namespace pipedeck
