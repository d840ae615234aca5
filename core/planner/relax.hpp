// SPDX-License-Identifier: Apache-2.0
// What would help where no plan fits, beside more memory: tried out, never guessed.
#pragma once

#include <optional>
#include <string>

#include "core/planner/planner.hpp"

namespace pipedeck::planner {

/// What a planner says where nothing but more samples can help: how many is found out by add_relaxations.
std::string larger_batch(const Workload& workload);

/// Adds to what the planner says itself: the nearest other micro-batch, recomputation and other options that widen the
/// search, a pin less, the fewest nodes more, the least larger batch; each only where the planner then does find a
/// plan.
Result<void> add_relaxations(Infeasible& infeasible, const PlannerInfo& planner, const Problem& problem,
                             const PlannerOptions& options, const PlannerContext& context);

/// How to ask whether there is any plan at all: the first that is found ends the search, and none is simulated.
PlannerContext first_found(const PlannerContext& context);

/// The cluster with `count` more nodes like its last, linked as that is; nothing where a matrix gives the bandwidths.
std::optional<Cluster> with_more_nodes(const Cluster& cluster, int count);

}  // namespace pipedeck::planner
