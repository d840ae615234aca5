// SPDX-License-Identifier: Apache-2.0
// The simulator as the judge of orders.
#pragma once

#include <functional>
#include <stop_token>

#include "core/base/result.hpp"
#include "core/model/schedule.hpp"
#include "core/sim/engine/engine.hpp"

namespace pipedeck::sim {

/// A run of an order in which communication slows nothing down, with rows of operations and transfers or without.
using RunOfOrder = std::function<engine::EngineInput(const Schedule& order, bool record)>;

/// The order of a plan of schedule `adaptive`: the fastest by simulation, of those that fit in memory.
Result<Schedule> adaptive_order(const costs::SimulatorInputs& inputs, const Plan& plan, const costs::PlanCosts& costs,
                                const costs::Channels& channels, const RunOfOrder& run_of, const std::stop_token& stop);

}  // namespace pipedeck::sim
