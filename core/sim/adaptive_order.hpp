// SPDX-License-Identifier: Apache-2.0
// The simulator as the judge of orders.
#pragma once

#include <stop_token>

#include "core/domain/result.hpp"
#include "core/domain/schedule.hpp"
#include "core/sim/channels.hpp"
#include "core/sim/plan_costs.hpp"

namespace pipedeck {

/// The order of a plan of schedule `adaptive`: the fastest by simulation, of those that fit in memory.
Result<Schedule> adaptive_order(const SimulatorInputs& inputs, const Plan& plan, const PlanCosts& costs,
                                const Channels& channels, const std::stop_token& stop);

}  // namespace pipedeck
