// SPDX-License-Identifier: Apache-2.0
// Enumerates every synchronous plan of a small problem: all nested sets of layers, every set of devices for every
// stage, idle devices, all micro-batches that divide the batch, GPipe and 1F1B with either warm-up. Exponential.
#pragma once

#include <functional>
#include <string>

#include "core/model/plan.hpp"
#include "core/model/workload.hpp"

namespace pipedeck {

/// Returns a plan of the workload without stages.
Plan plan_without_stages(const Problem& problem, const std::string& planner, int micro_batch);

/// Calls `each` with every plan; equal devices of one node are taken in order only. All calls share one plan object.
void every_synchronous_plan(const Problem& problem, const std::function<void(const Plan&)>& each);

}  // namespace pipedeck
