// SPDX-License-Identifier: Apache-2.0
// Where nothing ever waits for its turn, because each resource carries what one worker sends in its order, the times
// of the event engine follow from what needs what, without a clock: each lane runs as far as what it needs is known.
// For the engine alone.
#pragma once

#include <stop_token>

#include "core/sim/engine/engine.hpp"

namespace pipedeck::sim::engine {

/// A synchronous schedule on the `ideal` network in which no two transfers ever want one resource.
bool is_contention_free(const EngineInput& input);

/// The trace that events give, sooner. `input` takes no turns.
Trace run_lanes(const EngineInput& input, std::stop_token stop);

}  // namespace pipedeck::sim::engine
