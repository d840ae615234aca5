// SPDX-License-Identifier: Apache-2.0
// The profile of one rank of a plan's stages: its part of every layer, with the exchanges among all ranks of a stage
// inside its passes. All ranks run at once, each on a thread, as in a run.
#pragma once

#include <stop_token>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/runtime/layers/backend.hpp"
#include "core/runtime/profile/profiler.hpp"

namespace pipedeck::runtime::profile {

/// Profiles a rank of the plan's first stage, whose degrees all stages have, on the processor's threads. Times are the
/// first rank's, for the samples of the largest share. Bytes are the largest of all ranks. `busy_cores` counts the
/// ranks' cores, too: further ones run the whole model meanwhile. bad_input if the plan can't run, its stages differ,
/// or it has uneven shares of columns.
Result<Profile> profile_ranks_on_cpu(const ModelSpec& model, const Plan& plan, const Repetitions& repetitions = {},
                                     int busy_cores = 1, const Progress& progress = {}, std::stop_token stop = {});

/// Profiles with these layers of the processor.
Result<Profile> profile_ranks_with(const layers::Backend& backend, const ModelSpec& model, const Plan& plan,
                                   const Repetitions& repetitions = {}, int busy_cores = 1,
                                   const Progress& progress = {}, std::stop_token stop = {});

}  // namespace pipedeck::runtime::profile
