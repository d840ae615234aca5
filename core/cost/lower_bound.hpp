// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::cost {

/// Returns a lower bound on the iteration of any plan of this problem, whatever its cuts, replicas and micro-batch. It
/// is the maximum of three times: all compute spread over all devices, the slowest layer replicated on all devices, and
/// one sample's path through all layers apart from weight gradients. Asynchronous plans run without a flush, so only
/// the first one bounds their steady-state period. 0, unknown, with adapters: frozen weights have no gradients.
Result<Seconds> lower_bound(const Problem& problem, bool synchronous = true);

/// Returns the bound that applies to this plan: PipeDream's synchronous plans choose their own micro-batch instead of
/// the requested one. Plans with degrees or choices of format version 2 have the one of their planner over its space
/// (`Certificate::lower_bound`), if it knows one; else 0, unknown.
Result<Seconds> lower_bound_of(const Problem& problem, const Plan& plan);

/// Returns the part of `bound` that a simulated `iteration` of the plan must satisfy. An asynchronous plan's period is
/// measured on a run of finite length. Its filled buffers can make it slightly shorter than the steady-state period.
Seconds simulation_lower_bound(const Plan& plan, Seconds bound, Seconds iteration);

}  // namespace pipedeck::cost
