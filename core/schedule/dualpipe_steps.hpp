// SPDX-License-Identifier: Apache-2.0
// The eight steps common to DualPipe and DualPipeV.
#pragma once

#include <vector>

#include "core/domain/schedule.hpp"
#include "core/schedule/both_directions.hpp"

namespace pipedeck {

/// Returns the list of the device at `position` of `positions`. Micro-batches enter at position 0 and turn or meet at
/// the last one. They enter by the chunk `here`; `there` is the other chunk. `count`: micro-batches of each.
std::vector<Operation> dualpipe_steps(int position, int positions, int count, DirectedChunk here, DirectedChunk there);

}  // namespace pipedeck
