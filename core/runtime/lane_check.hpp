// SPDX-License-Identifier: Apache-2.0
// Whether a device's list of operations is one that its chunks can run.
#pragma once

#include "core/runtime/layout.hpp"

namespace pipedeck {

/// bad_input at /operations: each micro-batch of each chunk once forward and back, in an order that makes sense.
Result<void> check_lane(const Placement& placement, const Layout& layout);

/// The same of an asynchronous plan's: forwards and backwards of the replica's turns, in turn.
Result<void> check_turns(const Placement& placement, const Layout& layout);

bool has_recompute(const LaneOrder& order, StageId stage);

}  // namespace pipedeck
