// SPDX-License-Identifier: Apache-2.0
// A way for a plan that does not fit to fit, and the price of a warm-up that memory shortens. All are simulated.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "core/model/plan_reasons.hpp"
#include "core/model/workload.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::study {

/// Tries one change after another on a plan that does not fit: recomputation of all stages, each ZeRO stage, larger
/// tensor-parallel degrees on the same devices, smaller micro-batches. Returns the mildest of each kind that fits,
/// quickest first. Empty if none does, or on a stop.
std::vector<FittingChange> fitting_changes(const Problem& problem, const sim::Simulator& simulator, const Plan& plan,
                                           std::stop_token stop);

/// Compares a plan whose warm-up is shorter than policy A's with the whole one; nothing for others.
std::optional<WarmupReason> warmup_reason(const sim::Simulator& simulator, const Plan& plan, std::stop_token stop);

}  // namespace pipedeck::study
