// SPDX-License-Identifier: Apache-2.0
// The eight steps that DualPipe and DualPipeV have in common.
#pragma once

#include <vector>

#include "core/domain/schedule.hpp"
#include "core/schedule/both_directions.hpp"

namespace pipedeck {

/// The list of the device at `position` of `positions`, 0 being where micro-batches enter and the last where they turn
/// or meet: `here` is the chunk that they enter by, `there` the other; `count` micro-batches each.
std::vector<Operation> dualpipe_steps(int position, int positions, int count, DirectedChunk here, DirectedChunk there);

}  // namespace pipedeck
