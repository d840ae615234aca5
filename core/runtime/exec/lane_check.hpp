// SPDX-License-Identifier: Apache-2.0
// Checks that a device's list of operations can be run by its chunks.
#pragma once

#include "core/runtime/exec/layout.hpp"

namespace pipedeck::runtime::exec {

/// bad_input at /operations unless each micro-batch of each chunk runs forward and backward once, in a valid order.
Result<void> check_lane(const DeviceAssignment& placement, const Layout& layout);

/// Like check_lane for an asynchronous plan: forwards and backwards of the replica's turns, alternating.
Result<void> check_turns(const DeviceAssignment& placement, const Layout& layout);

bool has_recompute(const LaneOrder& order, StageId stage);

}  // namespace pipedeck::runtime::exec
