// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/planner/planner.hpp"

namespace pipedeck::study {

/// A planner to ask, with its options.
struct PlannerRequest {
  const planner::PlannerInfo* planner = nullptr;
  planner::PlannerOptions options;
};

/// Returns the planners that a comparison asks if none is named.
std::vector<PlannerRequest> default_planners();

}  // namespace pipedeck::study
