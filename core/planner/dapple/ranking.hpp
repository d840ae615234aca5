// SPDX-License-Identifier: Apache-2.0
// DAPPLE's plans in order. The spaces of all micro-batch sizes, with and without recomputation, are searched together
// under one limit, which is raised until the best plan is proven.
#pragma once

#include <string>
#include <vector>

#include "core/planner/dapple/space.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck::planner::dapple {

/// The options, read.
enum class Recompute { automatic, off, on };

struct Request {
  SpaceOptions space;
  PlaceRules rules;
  bool simulated = true, printed = false;
  bool rounds = false;  ///< also with the measure L_max: a stage that holds few micro-batches waits for its round trips
  Recompute recompute = Recompute::automatic;
  std::optional<Warmup> warmup{};  ///< absent: the one that simulates best
  int simulations = 256;
};

/// Empty, with no reason, where there is no plan.
Result<Ranking> rank_dapple(search::Chain& chain, const Request& wanted, const std::vector<int>& micro_batches,
                            const PlannerContext& context);

/// Is there any plan, by these micro-batch sizes?
Result<bool> any_dapple_plan(const Problem& problem, const Request& wanted, const std::vector<int>& micro_batches,
                             const PlannerContext& context);

}  // namespace pipedeck::planner::dapple
