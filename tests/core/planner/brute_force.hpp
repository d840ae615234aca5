// SPDX-License-Identifier: Apache-2.0
// Every plan of a small problem, each evaluated straight from its definition: what the planners' searches are checked
// against. Exponential.
#pragma once

#include <optional>

#include "core/cost/evaluate.hpp"
#include "core/model/plan.hpp"

namespace pipedeck {

struct BruteForceOptions {
  cost::EvaluateOptions evaluate;
};

/// The hierarchical plan with the quickest slowest stage.
std::optional<Plan> brute_force_pipedream(const Problem& problem, int micro_batch, const BruteForceOptions& options);

}  // namespace pipedeck
