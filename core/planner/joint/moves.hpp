// SPDX-License-Identifier: Apache-2.0
// Neighbours of a plan: what joint's local search tries next.
#pragma once

#include <vector>

#include "core/planner/joint/costs.hpp"

namespace pipedeck::planner::joint {

/// Plans one step away, warm-ups still open, none checked for memory or pins: a cut moved by 1, 2, 4 or 8 layers; a
/// replica given to another stage, taken from it or out of the idle ones, with the layers as they are and balanced
/// anew; stages split, merged or with their devices exchanged; another micro-batch of `sizes`; shares even or by speed;
/// recompute; another degree of tensor parallelism. Asynchronous plans keep their mini-batch.
std::vector<Plan> joint_neighbours(JointCosts& costs, const Plan& plan, const std::vector<int>& sizes);

}  // namespace pipedeck::planner::joint
