// SPDX-License-Identifier: Apache-2.0
// One function a planner file, for the registry.
#pragma once

#include "core/planner/planner.hpp"

namespace pipedeck {

PlannerInfo dapple_planner();
PlannerInfo pipedream_planner();
PlannerInfo amp_planner();
PlannerInfo amp_sa_planner();
PlannerInfo megatron_planner();
PlannerInfo capture_planner();
PlannerInfo data_parallel_planner();
PlannerInfo gpipe_planner();
PlannerInfo gpipe_balanced_planner();
PlannerInfo straight_planner();
PlannerInfo single_planner();
PlannerInfo whale_planner();
PlannerInfo joint_planner();

}  // namespace pipedeck
