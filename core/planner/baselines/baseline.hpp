// SPDX-License-Identifier: Apache-2.0
// Planners whose plan is fixed but for the micro-batch: try the sizes, keep what fits, rank by simulation.
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

/// Simulating the plan would take seconds: there are plans of fewer operations in nearly every problem.
bool too_long_to_simulate(const Plan& plan);
/// Where all that fits is like that.
Ranking only_too_long(const Problem& problem);

/// bad_usage where the pin asks for another number than the planner has.
Result<void> only(std::optional<int> pin, int has, const char* option, const PlannerInfo& planner);

}  // namespace pipedeck::planner::baselines
