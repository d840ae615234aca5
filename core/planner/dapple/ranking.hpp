// SPDX-License-Identifier: Apache-2.0
// DAPPLE's plans in order: the spaces of all micro-batch sizes, with and without recompute, searched together under one
// limit that is raised until what is found is proven to be the best.
#pragma once

#include <string>
#include <vector>

#include "core/planner/dapple/space.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck::planner::dapple {

/// The options, read.
struct Wanted {
  SpaceOptions space;
  PlaceRules rules;
  bool simulated = true, printed = false;
  std::string recompute = "auto", warmup = "auto";
  int simulations = 256;
};

/// Empty, with no reason, where there is no plan.
Result<Ranking> rank_dapple(search::Chain& chain, const Wanted& wanted, const std::vector<int>& micro_batches,
                            const PlannerContext& context);

/// Is there any plan, by these micro-batch sizes?
Result<bool> any_dapple_plan(const Problem& problem, const Wanted& wanted, const std::vector<int>& micro_batches,
                             const PlannerContext& context);

}  // namespace pipedeck::planner::dapple
