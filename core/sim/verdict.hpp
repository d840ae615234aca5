// SPDX-License-Identifier: Apache-2.0
// From a trace to the result: timeline, idle times, memory curves.
#pragma once

#include <stop_token>

#include "core/base/result.hpp"
#include "core/model/simulation.hpp"
#include "core/sim/costs/plan_costs.hpp"
#include "core/sim/engine/engine.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::sim {

/// Returns the result of a recorded trace.
Result<Simulation> verdict_of(const costs::SimulatorInputs& inputs, const engine::EngineInput& run,
                              const engine::Trace& trace, const SimulationDetail& detail, std::stop_token stop);

}  // namespace pipedeck::sim
