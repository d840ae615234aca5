// SPDX-License-Identifier: Apache-2.0
// The most that a device can hold however long operations and transfers take: the safe estimate beside the curve.
//
// The order of a device's operations is fixed, so what it keeps after each of them is too. A micro-batch is open on a
// stage from its forward to its input gradient; where weight gradients come apart it is kept beyond that, and the stage
// before may be done with it by then. With n micro-batches of a chunk open here, and at most n' on the stage before at
// any time, each of these n' that is not open here has at most one thing of input size here (its activation, not yet
// used, or its input's gradient, not yet gone), and each of the n has at most one of output size (its output, not yet
// gone, or the output's gradient, not yet used).
#pragma once

#include <vector>

#include "core/sim/engine.hpp"

namespace pipedeck {

/// What does not depend on the device: of each worker of the plan.
struct UpperFigures {
  struct Chunk {
    Bytes input, output;  ///< of one of its micro-batches
    int open = 0;         ///< most micro-batches open at once
    int before = 0;       ///< most that are open on the stage before, of what comes here
  };
  std::vector<Chunk> chunks;
};
UpperFigures upper_figures(const EngineInput& run, const Trace& trace);

/// Most that a lane's chunks hold beside what is held all the time.
Bytes most_beside_held(const SimulatorInputs& inputs, const EngineInput& run, const Trace& trace,
                       const UpperFigures& figures, std::size_t lane);

/// `held` and `most` beside it, where an allocator loses the convention's fraction of its memory between blocks:
/// allocated / (1 - fraction). Communicators and context take theirs from outside it.
Bytes upper_estimate(const MemoryParts& held, Bytes most, double fragmentation);

}  // namespace pipedeck
