// SPDX-License-Identifier: Apache-2.0
// Enumerates every strategy and layer assignment of AMP, each evaluated by eq. 3-5. An oracle for AMP's search.
// Exponential.
#pragma once

#include <vector>

#include "core/model/plan.hpp"
#include "core/planner/evaluation/evaluation.hpp"

namespace pipedeck {

struct AmpEnumeration {
  planner::evaluation::EvaluateOptions evaluate;
  bool allow_idle = false;
  int slice = 1;
};

/// Returns the best plan of every (pp, dp, tmp, micro-batch) in Megatron's placement that keeps the pins and fits with
/// one micro-batch on every stage; ascending by T.
std::vector<Plan> enumerate_amp(const Problem& problem, const AmpEnumeration& options);

}  // namespace pipedeck
