// SPDX-License-Identifier: Apache-2.0
// A bound on the time of a step in a pipeline of 1F1B or interleaved 1F1B: exact for equal stages with free sends.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/base/units.hpp"

namespace pipedeck::planner::mesh {

/// The times of one of the P v stages, in the order of the model.
struct FloorStage {
  Seconds forward, backward;  ///< of a micro-batch
  Seconds send;               ///< of its output, and as long of its gradient; 0: part of the passes
  Seconds begin{};            ///< before its rank's first forward
  Seconds optimizer{};
  /// From the start of the last backward until each reduction may start, and its time.
  std::span<const std::pair<Seconds, Seconds>> reductions{};
  Seconds input{}, weight{};  ///< of the backward's parts, in schedules that run them apart
};

/// Returns a time that no simulation of the step is below. `stages`: P v; stage s is on rank s mod P.
Seconds pipeline_floor(std::span<const FloorStage> stages, int ranks, int micro_batches);

}  // namespace pipedeck::planner::mesh
