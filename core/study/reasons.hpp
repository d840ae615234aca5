// SPDX-License-Identifier: Apache-2.0
// The reasons for a plan's speed, from the cost model of planners and simulator.
#pragma once

#include "core/model/plan.hpp"
#include "core/model/plan_reasons.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::study {

/// Returns the reasons for a plan's simulation by that simulator. Takes time proportional to devices and layers.
PlanReasons reasons_of(const sim::Simulator& simulator, const Plan& plan, const Simulation& simulation);

}  // namespace pipedeck::study
