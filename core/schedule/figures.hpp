// SPDX-License-Identifier: Apache-2.0
// What a schedule goes by beside the plan itself: predicted times and room, one entry a stage. Fixed schedules use
// `fitting` at most; those that look for an order use the rest.
#pragma once

#include <cstdint>
#include <limits>

#include "core/domain/units.hpp"

namespace pipedeck {

struct StageFigures {
  int fitting = 1;  ///< D of the warm-up policies: micro-batches that fit in memory beside one another

  // Nanoseconds of one micro-batch on the slowest replica.
  std::int64_t forward = 1, backward_input = 1, backward_weight = 1;
  std::int64_t recompute = 0;
  /// To the stage behind and, of the gradient, to the stage before: the longest of the transfers; 0 on the same
  /// devices.
  std::int64_t activation_transfer = 0, gradient_transfer = 0;

  // Bytes on the fullest device of the stage.
  Bytes kept;   ///< of one micro-batch from its forward on (before the recompute, where there is one)
  Bytes again;  ///< more of it from the recompute on
  Bytes room{
      std::numeric_limits<std::int64_t>::max()};  ///< capacity less what all chunks on that device hold all the time

  std::int64_t backward() const { return backward_input + backward_weight; }
};

}  // namespace pipedeck
