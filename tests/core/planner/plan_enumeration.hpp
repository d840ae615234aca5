// SPDX-License-Identifier: Apache-2.0
// Every synchronous plan of a small problem, one by one: all nested sets of layers, every set of devices for every
// stage, some idle, all micro-batches that divide the batch, GPipe and 1F1B with either warm-up. Exponential.
#pragma once

#include <functional>

#include "core/model/plan.hpp"
#include "core/model/workload.hpp"

namespace pipedeck {

/// Like devices of one node are taken in their order alone. The plan is the same object at each call.
void every_synchronous_plan(const Problem& problem, const std::function<void(const Plan&)>& each);

}  // namespace pipedeck
