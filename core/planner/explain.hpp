// SPDX-License-Identifier: Apache-2.0
// Explains a plan: the terms of its objective, its bottleneck, and the loss of its nearest neighbours.
#pragma once

#include <string>
#include <vector>

#include "core/planner/planner.hpp"

namespace pipedeck::planner {

/// Sentences with figures. Neighbours (every cut moved by a layer, the next micro-batches, the other warm-up) are
/// simulated: as many as `context.score` is worth for the size of the plan.
Result<std::vector<std::string>> explain(const PlannerInfo& planner, const Problem& problem, const Plan& plan,
                                         const evaluation::EvaluateOptions& how, const PlannerContext& context);

}  // namespace pipedeck::planner
