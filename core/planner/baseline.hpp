// SPDX-License-Identifier: Apache-2.0
// Planners whose plan is fixed but for the micro-batch: try the sizes, keep what fits, rank by simulation.
#pragma once

#include <functional>
#include <optional>

#include "core/planner/chain.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck {

struct Baseline {
  /// The plan with this micro-batch, without objective; nothing where a replica would get fewer samples than the slice.
  std::function<std::optional<Plan>(Chain& chain, int micro_batch, int slice)> plan;
  std::function<bool(Chain& chain, Plan& plan)> fits;  ///< may set the plan's warm-up
  std::string no_size;                                 ///< why there may be no micro-batch at all
};

Result<Ranking> rank_baseline(const Baseline& baseline, const Problem& problem, int min_slice,
                              const PlannerContext& context);

/// Ends of `stages` stages of as equal numbers of layers as possible, the larger ones first.
std::vector<int> even_layers(int layers, int stages);

}  // namespace pipedeck
