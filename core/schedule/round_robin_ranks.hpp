// SPDX-License-Identifier: Apache-2.0
// Where the stages of an interleaved plan must be.
#pragma once

#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

/// Stage k on the devices of stage k mod P, a whole number of times round: the P ranks.
Result<int> round_robin_ranks(const Plan& plan);

}  // namespace pipedeck
