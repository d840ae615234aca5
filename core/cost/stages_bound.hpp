// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::cost {

/// Returns a lower bound on the iteration of a GPipe or 1F1B schedule with exactly these stages, for either overlap of
/// all-reduces and any sharing of the network. It is the maximum of a pivot bound and a round-trip bound. 0 for other
/// schedules.
Result<Seconds> partition_lower_bound(const Problem& problem, const Plan& plan);

}  // namespace pipedeck::cost
