// SPDX-License-Identifier: Apache-2.0
// Conversion of a plan to another schedule: the same layers on the same devices, split and placed as the schedule
// requires.
#pragma once

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::plan {

/// The search for cuts if the number of stages changes. `equal` takes no time: it is for asking if a schedule is
/// possible.
enum class StageCuts { balanced, equal };

/// Returns the plan under `schedule`, or bad_input with the reason if that is impossible. Ranks get `chunks` stages
/// each for `interleaved`, two for V-shaped schedules and one for the others; `adaptive` keeps the plan's number. If
/// the number changes, the layers are split again so that the slowest rank's forward and backward are as short as
/// possible. Otherwise the stages stay the same. A rank keeps its devices, tensor_parallel, shares, shards and
/// recompute. The prediction, certificate and objective are removed. Between synchronous and asynchronous schedules,
/// micro_batch changes so that a replica gets about as many samples as before.
Result<Plan> with_schedule(const Plan& plan, const Profile& profile, ScheduleKind schedule, int chunks = 2,
                           StageCuts cuts = StageCuts::balanced);

}  // namespace pipedeck::plan
