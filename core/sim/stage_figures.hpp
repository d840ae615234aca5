// SPDX-License-Identifier: Apache-2.0
// The values of a plan's costs for schedules that depend on them.
#pragma once

#include <vector>

#include "core/schedule/figures.hpp"
#include "core/sim/channels.hpp"
#include "core/sim/plan_costs.hpp"

namespace pipedeck {

/// One entry a stage.
std::vector<StageFigures> stage_figures(const SimulatorInputs& inputs, const PlanCosts& costs,
                                        const Channels& channels);

}  // namespace pipedeck
