// SPDX-License-Identifier: Apache-2.0
// The predicted times and memory that a schedule depends on in addition to the plan, one entry per stage. Fixed
// schedules use at most `fitting`; those that search for an order use the rest.
#pragma once

#include <cstdint>
#include <limits>

#include "core/base/units.hpp"

namespace pipedeck::schedule {

struct StageEstimates {
  int max_in_flight = 1;  ///< D of the warm-up policies: micro-batches that fit in memory at the same time

  // Nanoseconds of one micro-batch on the slowest replica.
  std::int64_t forward = 1, backward_input = 1, backward_weight = 1;
  std::int64_t recompute = 0;
  /// The longest transfer to the next stage and, for the gradient, to the previous stage; 0 on the same devices.
  std::int64_t activation_transfer = 0, gradient_transfer = 0;

  // Bytes on the most loaded device of the stage.
  Bytes saved_bytes;       ///< per micro-batch from its forward on (before the recompute, if any)
  Bytes recomputed_bytes;  ///< additional ones from the recompute on
  Bytes available_memory{
      std::numeric_limits<std::int64_t>::max()};  ///< capacity minus the persistent bytes of all chunks on that device

  std::int64_t backward() const { return backward_input + backward_weight; }
};

}  // namespace pipedeck::schedule
