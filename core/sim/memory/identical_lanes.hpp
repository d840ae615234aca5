// SPDX-License-Identifier: Apache-2.0
// Replicas that do the same at the same time hold the same: their memory is found once.
#pragma once

#include <cstddef>
#include <vector>

#include "core/sim/engine/engine.hpp"

namespace pipedeck::sim::memory {

/// By lane: the first lane whose devices of each rank hold the same as its own at every moment; itself where none is.
std::vector<std::size_t> representative_lanes(const engine::EngineInput& run, const engine::Trace& trace);

}  // namespace pipedeck::sim::memory
