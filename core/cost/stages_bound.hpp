// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"
#include "core/domain/workload.hpp"

namespace pipedeck {

/// No GPipe or 1F1B schedule ends an iteration of these very stages before this, under either overlap of all-reduces
/// and whatever the network's sharing: the larger of a pivot bound and a round-trip bound. 0 for other schedules.
Result<Seconds> stages_bound(const Problem& problem, const Plan& plan);

}  // namespace pipedeck
