// SPDX-License-Identifier: Apache-2.0
// Finds changes besides more memory with which a plan fits. All are tried out.
#pragma once

#include <optional>
#include <string>

#include "core/planner/planner.hpp"

namespace pipedeck::planner {

/// Returns the relaxation if only more samples can help; add_relaxations finds their number.
std::string larger_batch_hint(const Workload& workload);

/// Adds relaxations to the planner's own: the nearest other micro-batch, recomputation and other options that widen the
/// search, one pin less, the fewest additional nodes, the least larger batch. Each is added only if the planner then
/// finds a plan. At the deadline those found so far are added.
Result<void> add_relaxations(Infeasible& infeasible, const PlannerInfo& planner, const Problem& problem,
                             const PlannerOptions& options, const PlannerContext& context);

/// Returns a context that ends the search with the first plan and simulates none.
PlannerContext first_plan_context(const PlannerContext& context);

/// Returns the cluster with `count` more nodes like its last, linked likewise; nothing if a matrix gives the
/// bandwidths.
std::optional<Cluster> with_more_nodes(const Cluster& cluster, int count);

}  // namespace pipedeck::planner
