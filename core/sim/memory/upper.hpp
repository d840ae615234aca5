// SPDX-License-Identifier: Apache-2.0
// The maximum memory of a device for any durations of operations and transfers: the safe estimate next to the curve.
//
// The order of a device's operations is fixed, so its saved tensors after each of them are too. A micro-batch is open
// on a stage from its forward to its input gradient. With separate weight gradients it is saved beyond that, and the
// stage before may be done with it by then. Let n micro-batches of a chunk be open here, and at most n' on the stage
// before at any time. Each of these n' that is not open here has at most one tensor of input size here: its activation,
// not yet used, or its input's gradient, not yet gone. Each of the n has at most one of output size: its output, not
// yet gone, or the output's gradient, not yet used.
#pragma once

#include <vector>

#include "core/sim/engine/engine.hpp"

namespace pipedeck::sim::memory {

/// The device-independent part, for each worker of the plan.
struct UpperFigures {
  struct Chunk {
    Bytes input, output;  ///< of one of its micro-batches
    int open = 0;         ///< most micro-batches open at once
    int before = 0;       ///< most that are open on the stage before, of what comes here
  };
  std::vector<Chunk> chunks;
};
UpperFigures upper_figures(const engine::EngineInput& run, const engine::Trace& trace);

/// Maximum memory of a lane's chunks in addition to the persistent memory.
Bytes max_transient_bytes(const costs::SimulatorInputs& inputs, const engine::EngineInput& run,
                          const engine::Trace& trace, const UpperFigures& figures, std::size_t lane);

/// Returns `held` and `most` together, if an allocator loses the convention's fraction of its memory between blocks:
/// allocated / (1 - fraction). Communicators and context take theirs from outside it.
Bytes with_fragmentation(const MemoryBreakdown& held, Bytes most, double fragmentation);

}  // namespace pipedeck::sim::memory
