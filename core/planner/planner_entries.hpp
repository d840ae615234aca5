// SPDX-License-Identifier: Apache-2.0
// One function per planner, for the registry.
#pragma once

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
}
namespace baselines {
PlannerInfo data_parallel_planner();
PlannerInfo gpipe_planner();
PlannerInfo gpipe_balanced_planner();
PlannerInfo straight_planner();
PlannerInfo megatron_planner();
PlannerInfo single_planner();
}  // namespace baselines

}  // namespace pipedeck::planner
