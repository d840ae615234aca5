// SPDX-License-Identifier: Apache-2.0
// Planners whose plan is fixed except for the micro-batch. They try all sizes, drop the plans that do not fit and rank
// by simulation.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/planner/ranking.hpp"
#include "core/planner/search/blocks.hpp"
#include "core/planner/search/chain.hpp"

namespace pipedeck::planner::baselines {

struct Baseline {
  /// The plans with this micro-batch, without objective; none where a replica would get fewer samples than the slice.
  std::function<std::vector<Plan>(search::Chain& chain, int micro_batch, int slice)> plans;
  std::function<bool(search::Chain& chain, Plan& plan)> fits;  ///< may set the plan's warm-up counts
  std::string no_size;                                         ///< why there may be no micro-batch at all
  std::optional<Overlap> overlap{};                            ///< of all-reduces; absent: the workload's
};

Result<Ranking> rank_baseline(const Baseline& baseline, const Problem& problem, int min_slice,
                              const PlannerContext& context);

/// Returns true if simulating the plan would take seconds. Nearly every problem has plans of fewer operations.
bool too_long_to_simulate(const Plan& plan);
/// Returns the answer if all fitting plans take too long to simulate.
Ranking too_long_ranking(const Problem& problem);

/// Returns bad_usage if the pin differs from the only number that the planner supports.
Result<void> only(std::optional<int> pin, int has, const char* option, const PlannerInfo& planner);

}  // namespace pipedeck::planner::baselines
