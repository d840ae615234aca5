// SPDX-License-Identifier: Apache-2.0
// What schedules with two chunks a device have in common: which two, and the checks of where a plan puts them.
#pragma once

#include <vector>

#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

/// One chunk of a device: which stage and from which micro-batch on.
struct DirectedChunk {
  StageId stage;
  int first = 0;  ///< micro-batch
};

/// Two copies of an even number of stages on devices of their own, the second of stage s where stage S - 1 - s is; an
/// even number of micro-batches, `least` of them at least.
Result<void> check_both_directions(const Plan& plan, int least);

/// An even number of stages, s and S - 1 - s on the same devices and no others; `least` micro-batches at least.
Result<void> check_v_shape(const Plan& plan, int least);

}  // namespace pipedeck
