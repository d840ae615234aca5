// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/model/profile.hpp"
#include "core/planner/planner.hpp"

namespace pipedeck::study {

/// A planner to ask, with its options.
struct PlannerRequest {
  const planner::PlannerInfo* planner = nullptr;
  planner::PlannerOptions options;
};

/// Returns true if the profile is of a language model: its samples consist of tokens.
bool is_language_model(const Profile& profile);

/// Returns true if a comparison asks the planner if none is named. Asynchronous plans change training: comparisons of
/// language models leave them out, and only they ask the planners of transformers.
bool compared_by_default(const planner::PlannerInfo& planner, bool language_model);

/// Returns the request of a comparison: a search for plans of any kind is limited to synchronous ones.
PlannerRequest comparison_request(const planner::PlannerInfo& planner, planner::PlannerOptions options);

/// Returns the planners that a comparison asks if none is named.
std::vector<PlannerRequest> comparison_planners(const Profile& profile);

/// Returns true if a study of many clusters asks the planner if none is named: no long searches, no plain choices.
bool studied_by_default(const planner::PlannerInfo& planner, bool language_model);

/// Returns the planners that a study of many clusters asks if none is named.
std::vector<PlannerRequest> default_planners(const Profile& profile);

}  // namespace pipedeck::study
