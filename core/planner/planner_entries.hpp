// SPDX-License-Identifier: Apache-2.0
// One function per planner, for the registry, and the planners that are programs of their own: the question on their
// standard input, plans on their standard output (planners.md, "Planners of your own").
#pragma once

#include <string>
#include <string_view>

#include "core/planner/planner.hpp"

namespace pipedeck::planner {

namespace dapple {
PlannerInfo dapple_planner();
}
namespace pipedream {
PlannerInfo pipedream_planner();
}
namespace amp {
PlannerInfo amp_planner();
PlannerInfo amp_sa_planner();
}  // namespace amp
namespace capture {
PlannerInfo capture_planner();
}
namespace whale {
PlannerInfo whale_planner();
}
namespace joint {
PlannerInfo joint_planner();
}
namespace mesh {
PlannerInfo mesh_planner();
PlannerInfo ddp_planner();
PlannerInfo fsdp_planner();
PlannerInfo megatron_usual_planner();
}  // namespace mesh
namespace program {
/// The beginning of a name of a planner that is a program of its own: "exec:/home/me/planner.py".
inline constexpr std::string_view prefix = "exec:";
/// Returns the program as a planner, by its whole path: always the same object for a path. Nothing is started or looked
/// up before it is asked for plans. Returns bad_usage for a name without a file.
Result<const PlannerInfo*> program_planner(const std::string& name);
}  // namespace program
namespace baselines {
PlannerInfo data_parallel_planner();
PlannerInfo gpipe_planner();
PlannerInfo gpipe_balanced_planner();
PlannerInfo straight_planner();
PlannerInfo megatron_planner();
PlannerInfo single_planner();
}  // namespace baselines

}  // namespace pipedeck::planner
