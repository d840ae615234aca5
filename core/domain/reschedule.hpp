// SPDX-License-Identifier: Apache-2.0
// A plan under another schedule: the same layers on the same devices, cut and placed as that schedule needs them.
#pragma once

#include "core/domain/plan.hpp"
#include "core/domain/profile.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

/// `chunks` stages a rank for `interleaved`, two for V-shaped schedules, one for the others (`adaptive` keeps what the
/// plan has). Where the number changes, the layers are cut anew, so that the slowest rank's forward and backward take
/// as little as they can; else the stages stay as they are. A rank keeps its devices, tensor_parallel, shares, shards
/// and recompute; what was predicted, proven or minimised goes. Between synchronous and asynchronous schedules
/// micro_batch changes so that a replica gets about as many samples as before. bad_input where it can't be done, with
/// the reason.
Result<Plan> with_schedule(const Plan& plan, const Profile& profile, ScheduleKind schedule, int chunks = 2);

}  // namespace pipedeck
