// SPDX-License-Identifier: Apache-2.0
// Passes take longer while their devices communicate (simulator.md, "Calibration"). By how much depends on when they
// run, and that on how long they take; it is told once, from a run in which nothing is slowed.
#pragma once

#include <stop_token>

#include "core/sim/engine.hpp"

namespace pipedeck {

/// What each pass of `plain` takes, (slowdown - 1) times as much longer as its devices send, receive or all-reduce
/// meanwhile; as it is where the lists deadlock or `stop` was requested.
PassDurations slowed_passes(const EngineInput& plain, double slowdown, const std::stop_token& stop);

/// Runs `plain` with such durations, where there are any.
Trace run_slowed(EngineInput plain, double slowdown, const std::stop_token& stop);

}  // namespace pipedeck
