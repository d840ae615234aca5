// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"
#include "core/domain/workload.hpp"

namespace pipedeck {

/// No plan of this problem, whatever its cuts, replicas and micro-batch, ends an iteration before this: the largest of
/// all compute spread over all devices, the slowest layer replicated on all of them, and one sample's way through all
/// layers, weight gradients left aside. Asynchronous plans run on without a flush, so that only the first of them binds
/// the pace they keep up.
Result<Seconds> lower_bound(const Problem& problem, bool synchronous = true);

/// The one that holds for this plan: PipeDream's synchronous plans choose their micro-batch themselves, whatever was
/// asked for.
Result<Seconds> lower_bound_of(const Problem& problem, const Plan& plan);

/// `bound` as far as a simulated `iteration` of the plan can be held to it. The pace of an asynchronous plan is
/// measured on a run of finite length, whose filled buffers let it be a trace quicker than what could be kept up for
/// ever.
Seconds bound_of_simulation(const Plan& plan, Seconds bound, Seconds iteration);

}  // namespace pipedeck
