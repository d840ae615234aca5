// SPDX-License-Identifier: Apache-2.0
// Enumerates every strategy and layer assignment of AMP, each evaluated by eq. 3-5. An oracle for AMP's search.
// Exponential.
#pragma once

#include <vector>

#include "core/model/plan.hpp"
#include "core/planner/evaluation/evaluation.hpp"
#include "core/planner/search/chain.hpp"

namespace pipedeck {

struct AmpEnumeration {
  planner::evaluation::EvaluateOptions evaluate;
  bool allow_idle = false;
  int slice = 1;
};

/// Returns the best plan of every (pp, dp, tmp, micro-batch) in Megatron's placement that keeps the pins and fits with
/// 1F1B's whole warm-up, any stages recomputed; ascending by T.
std::vector<Plan> enumerate_amp(const Problem& problem, const AmpEnumeration& options);

/// Returns true if the plan fits with recomputation of some of its stages, or of none.
bool fits_with_recompute(planner::search::Chain& chain, Plan plan, const planner::evaluation::EvaluateOptions& options);

}  // namespace pipedeck
