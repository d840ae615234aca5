// SPDX-License-Identifier: Apache-2.0
// The values of a plan's costs for schedules that depend on them.
#pragma once

#include <vector>

#include "core/schedule/stage_estimates.hpp"
#include "core/sim/costs/channels.hpp"
#include "core/sim/costs/plan_costs.hpp"

namespace pipedeck::sim::costs {

/// One entry a stage.
std::vector<schedule::StageEstimates> stage_figures(const SimulatorInputs& inputs, const PlanCosts& costs,
                                                    const Channels& channels);

}  // namespace pipedeck::sim::costs
