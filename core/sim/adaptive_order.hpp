// SPDX-License-Identifier: Apache-2.0
// The simulator as the judge of orders.
#pragma once

#include <functional>
#include <stop_token>

#include "core/domain/result.hpp"
#include "core/domain/schedule.hpp"
#include "core/sim/engine.hpp"

namespace pipedeck {

/// A run of an order in which communication slows nothing down, with rows of operations and transfers or without.
using RunOfOrder = std::function<EngineInput(const Schedule& order, bool record)>;

/// The order of a plan of schedule `adaptive`: the fastest by simulation, of those that fit in memory.
Result<Schedule> adaptive_order(const SimulatorInputs& inputs, const Plan& plan, const PlanCosts& costs,
                                const Channels& channels, const RunOfOrder& run_of, const std::stop_token& stop);

}  // namespace pipedeck
