// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include "core/planner/planner.hpp"

#include "core/planner/planner_entries.hpp"

namespace pipedeck {

const std::vector<PlannerInfo>& planners() {
  // One planner a line: papers' planners, ours, then the baselines.
  static const std::vector<PlannerInfo> all = {
      dapple_planner(),          //
      pipedream_planner(),       //
      amp_planner(),             //
      amp_sa_planner(),          //
      capture_planner(),         //
      whale_planner(),           //
      joint_planner(),           //
      data_parallel_planner(),   //
      gpipe_planner(),           //
      gpipe_balanced_planner(),  //
      straight_planner(),        //
      megatron_planner(),        //
      single_planner(),          //
  };
  return all;
}

Result<const PlannerInfo*> planner_named(const std::string& name) {
  std::string known;
  for (const PlannerInfo& planner : planners()) {
    if (planner.name == name) return &planner;
    known += (known.empty() ? "" : ", ") + planner.name;
  }
  return fail(ErrorCode::bad_usage, fmt::format("no planner '{}', one of {} expected", name, known));
}

}  // namespace pipedeck
