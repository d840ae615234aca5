// SPDX-License-Identifier: Apache-2.0
// The eight steps common to DualPipe and DualPipeV.
#pragma once

#include <vector>

#include "core/model/schedule.hpp"
#include "core/schedule/both_directions.hpp"

namespace pipedeck::schedule {

/// Returns the list of the device at `position` of `positions`. Micro-batches enter at position 0 and turn or meet at
/// the last one. They enter by the chunk `here`; `there` is the other chunk. `count`: micro-batches of each.
std::vector<Operation> dualpipe_steps(int position, int positions, int count, DirectedStage here, DirectedStage there);

}  // namespace pipedeck::schedule
