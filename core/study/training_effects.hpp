// SPDX-License-Identifier: Apache-2.0
// Changes in training by a plan for its profile's model.
#pragma once

#include <vector>

#include "core/model/profile.hpp"
#include "core/plan/training_changes.hpp"

namespace pipedeck::study {

/// Returns plan::training_effects with the layers and the vocabulary that the profile knows.
std::vector<plan::TrainingEffect> training_effects(const Plan& plan, const Profile& profile);

}  // namespace pipedeck::study
