// SPDX-License-Identifier: Apache-2.0
#include "core/study/planner_request.hpp"

namespace pipedeck::study {

std::vector<PlannerRequest> default_planners() {
  std::vector<PlannerRequest> asked;
  for (const planner::PlannerInfo& planner : planner::planners())
    if (planner.compared_by_default) asked.push_back({&planner, {}});
  return asked;
}

}  // namespace pipedeck::study
