// SPDX-License-Identifier: Apache-2.0
// Enumerates every plan of a small problem, each evaluated by its definition. An oracle for the planners' searches.
// Exponential.
#pragma once

#include <optional>

#include "core/model/plan.hpp"
#include "core/planner/evaluation/evaluation.hpp"

namespace pipedeck {

struct BruteForceOptions {
  planner::evaluation::EvaluateOptions evaluate;
};

/// Returns the hierarchical plan with the quickest slowest stage.
std::optional<Plan> brute_force_pipedream(const Problem& problem, int micro_batch, const BruteForceOptions& options);

}  // namespace pipedeck
