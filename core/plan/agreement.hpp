// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "core/model/plan.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::plan {

/// Returns true if both are one plan: they have the same stages, degrees and micro-batches, and the same simulated time
/// and memory. They may differ in their names, in the choice among alike devices, and in settings without an effect.
bool agree(const Plan& a, const Simulation& simulated_a, const Plan& b, const Simulation& simulated_b);

/// Returns the rank of a plan among those that agree. Plans of version 2 from a search that ended by itself precede
/// those of one cut short, and of these the ones with reasons come first. Other plans are alike.
inline std::pair<bool, bool> rank_among_equals(const Plan& plan) {
  return {has_mesh(plan) && plan.truncated, has_mesh(plan) && plan.rationale.empty()};
}

}  // namespace pipedeck::plan
