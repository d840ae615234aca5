// SPDX-License-Identifier: Apache-2.0
// A plan's stages replica by replica, for joint's moves.
#pragma once

#include <vector>

#include "core/planner/joint/costs.hpp"

namespace pipedeck::planner::joint {

struct JointStage {
  using Group = std::vector<DeviceId>;  ///< the devices of a replica
  int first = 0, last = 0, degree = 1;
  std::vector<Group> groups;
  bool recompute = false;
};
using Stages = std::vector<JointStage>;

Stages stages_of(const Plan& plan);

/// `plan` with these stages and micro-batch, warm-ups open. Nothing where a replica would get too few samples, a stage
/// has no layer, or one can't be split by columns as wanted.
std::optional<Plan> plan_with(JointCosts& costs, const Plan& plan, const Stages& stages, int micro_batch);

/// Cuts that make the slowest stage as quick as it can be, a layer at least for each. False where nothing changes.
bool balance_joint(JointCosts& costs, const Plan& plan, Stages& stages);

}  // namespace pipedeck::planner::joint
