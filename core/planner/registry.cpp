// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/planner/planner.hpp"
#include "core/planner/planner_entries.hpp"

namespace pipedeck::planner {

const std::vector<PlannerInfo>& planners() {
  // One planner per line: ours, papers' planners, plain choices, then the baselines.
  static const std::vector<PlannerInfo> all = {
      joint::joint_planner(),               //
      mesh::mesh_planner(),                 //
      dapple::dapple_planner(),             //
      pipedream::pipedream_planner(),       //
      amp::amp_planner(),                   //
      amp::amp_sa_planner(),                //
      capture::capture_planner(),           //
      whale::whale_planner(),               //
      mesh::ddp_planner(),                  //
      mesh::fsdp_planner(),                 //
      mesh::megatron_usual_planner(),       //
      baselines::data_parallel_planner(),   //
      baselines::gpipe_planner(),           //
      baselines::gpipe_balanced_planner(),  //
      baselines::straight_planner(),        //
      baselines::megatron_planner(),        //
      baselines::single_planner(),          //
  };
  return all;
}

Result<const PlannerInfo*> find_planner(const std::string& name) {
  if (name.starts_with(program::prefix)) return program::program_planner(name);
  std::string known;
  for (const PlannerInfo& planner : planners()) {
    if (planner.name == name) return &planner;
    known += (known.empty() ? "" : ", ") + planner.name;
  }
  return fail(ErrorCode::bad_usage, fmt::format("no planner '{}', one of {} or exec:PROGRAM expected", name, known));
}

}  // namespace pipedeck::planner
