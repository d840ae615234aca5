// SPDX-License-Identifier: Apache-2.0
// Memory of every device over time (simulator.md, "Memory of a device over time").
#pragma once

#include <vector>

#include "core/model/simulation.hpp"
#include "core/sim/engine/engine.hpp"

namespace pipedeck::sim::memory {

/// The resources whose transfers each lane sends or receives, ascending.
std::vector<std::vector<std::size_t>> resources_of_lanes(const engine::EngineInput& run);

/// The items that all chunks on a device hold all the time; what a device has once counts once.
MemoryBreakdown lane_persistent_memory(const costs::SimulatorInputs& inputs, const engine::EngineInput& run,
                                       std::size_t lane, std::size_t rank);

/// Curve, peak, items at the peak and kept micro-batches of one lane's device of rank `rank`, or of all its devices
/// where they hold the same; the caller adds what else differs between them (id, capacity) and the upper estimate.
/// `items`: the curve by item as well.
SimulatedDevice memory_of(const costs::SimulatorInputs& inputs, const engine::EngineInput& run,
                          const engine::Trace& trace, std::size_t lane, std::size_t rank,
                          const std::vector<std::size_t>& resources, bool items = false);

}  // namespace pipedeck::sim::memory
