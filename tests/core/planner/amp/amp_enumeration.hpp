// SPDX-License-Identifier: Apache-2.0
// Every strategy and layer assignment of AMP, each evaluated straight from eq. 3-5: what its search is checked against.
// Exponential.
#pragma once

#include <vector>

#include "core/cost/evaluate.hpp"
#include "core/model/plan.hpp"

namespace pipedeck {

struct AmpEnumeration {
  cost::EvaluateOptions evaluate;
  bool allow_idle = false;
  int slice = 1;
};

/// The best plan of every (pp, dp, tmp, micro-batch) in Megatron's placement that keeps the pins and fits with one
/// micro-batch on every stage; least T first.
std::vector<Plan> enumerate_amp(const Problem& problem, const AmpEnumeration& options);

}  // namespace pipedeck
