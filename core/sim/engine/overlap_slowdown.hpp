// SPDX-License-Identifier: Apache-2.0
// Passes take longer while their devices communicate (simulator.md, "Calibration"). The increase depends on their
// start, and that on their durations. It is computed once, from a run without slow-down.
#pragma once

#include <stop_token>

#include "core/sim/engine/engine.hpp"

namespace pipedeck::sim::engine {

/// Returns the duration of each pass of `plain`, longer by (slowdown - 1) times the time in which its devices send,
/// receive or all-reduce meanwhile. Unchanged if the lists deadlock or `stop` was requested.
PassDurations overlap_durations(const EngineInput& plain, double slowdown, const std::stop_token& stop);

/// Runs `plain` with such durations, where there are any.
Trace run_slowed(EngineInput plain, double slowdown, const std::stop_token& stop);

}  // namespace pipedeck::sim::engine
