// SPDX-License-Identifier: Apache-2.0
// Spans and the period of successive iterations: what zero-bubble papers count.
#pragma once

#include "core/base/result.hpp"
#include "core/sim/engine/engine.hpp"

namespace pipedeck::sim::engine {

/// The longest time from a lane's first operation to the end of its step.
Nanoseconds longest_span(const costs::PlanCosts& costs, const Trace& trace);

/// The time from one synchronous iteration to the next, in the long run, where every device begins the next one when
/// its own step is done, whatever the others do. The network is idle when an iteration begins.
Result<Nanoseconds> steady_state_period(const EngineInput& input, const std::stop_token& stop);

}  // namespace pipedeck::sim::engine
