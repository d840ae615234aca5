// SPDX-License-Identifier: Apache-2.0
// Where the stages of a plan must be for schedules with several chunks a device.
#pragma once

#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

/// Stage k on the devices of stage k mod P, a whole number of times round: the P ranks.
Result<int> round_robin_ranks(const Plan& plan);

/// 2P stages, down the P ranks and up again: stage k on the devices of stage 2P - 1 - k.
Result<int> v_shaped_ranks(const Plan& plan);

}  // namespace pipedeck
