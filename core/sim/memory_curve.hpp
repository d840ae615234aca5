// SPDX-License-Identifier: Apache-2.0
// Memory of every device over time (simulator.md, "Memory of a device over time").
#pragma once

#include "core/domain/simulation.hpp"
#include "core/sim/engine.hpp"

namespace pipedeck {

/// Curve, peak, items at the peak and kept micro-batches of one worker's devices; the caller adds what differs between
/// them (id, capacity).
DeviceVerdict memory_of(const SimulatorInputs& inputs, const EngineInput& run, const Trace& trace, std::size_t worker);

}  // namespace pipedeck
