// SPDX-License-Identifier: Apache-2.0
// The placement of an interleaved plan's stages.
#pragma once

#include "core/base/result.hpp"
#include "core/model/plan.hpp"

namespace pipedeck::schedule {

/// Returns P, the number of ranks, if stage k is on the devices of stage k mod P and P divides the number of stages.
Result<int> round_robin_ranks(const Plan& plan);

}  // namespace pipedeck::schedule
