// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/plan.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::plan {

/// Returns true if both are one plan: they have the same stages, degrees and micro-batches, and the same simulated time
/// and memory. They may differ in their names, in the choice among alike devices, and in settings without an effect.
bool agree(const Plan& a, const Simulation& simulated_a, const Plan& b, const Simulation& simulated_b);

}  // namespace pipedeck::plan
