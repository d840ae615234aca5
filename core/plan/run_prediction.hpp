// SPDX-License-Identifier: Apache-2.0
// Plans as they are run on processor threads, and the plan that predicts such a run with measured times of layers.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::plan {

/// Returns the stage's recomputation by whole layers. `layers`: names of the model's layers. A number of blocks means
/// the first ones of the stage.
Recompute recompute_by_layers(const Stage& stage, std::span<const std::string_view> layers);

/// Returns the ranks that all stages have, of which a profile has one (`pipedeck-cli profile --plan`). bad_input if
/// stages differ, or columns are divided unevenly.
Result<ProfiledRanks> ranks_of(const Plan& plan);

/// Returns the plan of format version 1 by which a run of `plan` is predicted: the same stages, schedule and states of
/// model layers, without gathers of sharded weights and without choices that a run leaves out. `profile` has the times
/// of the model's layers, and none for its loss: a plan computed for a transformer may end there. Nothing if ranks
/// divide samples, for which a profile of whole layers has no times. bad_input if the plan's layers are not the
/// profile's.
/// If the profile has a rank of such a plan (Profile::ranks), the prediction includes all that divides layers, samples
/// and states. Its replicas are data and context ranks, which have C-ths of samples. bad_input if the plan's ranks are
/// others.
/// `offloads`: the run's devices can have optimizer states on their hosts, so that a plan which offloads them has none
/// on a device. The prediction's step is then the device's part: it reads gradients and writes weights.
Result<std::optional<Plan>> predicted_by(const Plan& plan, const Profile& profile, bool offloads = false);

}  // namespace pipedeck::plan
