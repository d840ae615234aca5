// SPDX-License-Identifier: Apache-2.0
// Two overlapped operations start when both can. A timeline knows the first one alone, so it does not show which of
// them the device waited for.
#pragma once

#include <cstddef>
#include <vector>

#include "core/sim/engine/engine.hpp"

namespace pipedeck::sim::engine {

/// By lane, the rows of first operations, ascending, that waited for what their second one needs.
std::vector<std::vector<std::size_t>> waits_of_second(const EngineInput& run, const Trace& trace);

}  // namespace pipedeck::sim::engine
