// SPDX-License-Identifier: Apache-2.0
// Neighbours of a plan, for joint's local search.
#pragma once

#include <vector>

#include "core/planner/joint/costs.hpp"

namespace pipedeck::planner::joint {

/// Returns the plans one move away, warm-ups unset, unchecked for memory and pins. The moves are: a boundary by 1, 2, 4
/// or 8 layers; a replica to another stage, or to or from the idle devices, with the layers as they are and rebalanced;
/// splitting or merging stages, or exchanging their devices; another micro-batch of `sizes`; shares even or by speed;
/// recomputation; another tensor-parallel degree. Asynchronous plans keep their mini-batch.
std::vector<Plan> joint_neighbours(JointCosts& costs, const Plan& plan, const std::vector<int>& sizes);

}  // namespace pipedeck::planner::joint
