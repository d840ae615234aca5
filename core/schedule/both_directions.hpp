// SPDX-License-Identifier: Apache-2.0
// Common parts of schedules with two chunks per device: the two chunks, and checks of their placement.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/model/plan.hpp"

namespace pipedeck::schedule {

/// A chunk of a device: its stage and its first micro-batch.
struct DirectedStage {
  StageId stage;
  int first = 0;  ///< micro-batch
};

/// Checks for two copies of an even number of stages on separate devices. The second copy of stage s must be on the
/// devices of stage S - 1 - s. The number of micro-batches must be even and at least `least`.
Result<void> check_both_directions(const Plan& plan, int least);

/// Checks for an even number of stages, with s and S - 1 - s on the same devices and no others, and at least `least`
/// micro-batches.
Result<void> check_v_shape(const Plan& plan, int least);

}  // namespace pipedeck::schedule
