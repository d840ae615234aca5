// SPDX-License-Identifier: Apache-2.0
// A bound on the time of a step in a pipeline whose weight gradients run apart from input gradients: ZB-H1, ZB-H2,
// ZB-V, DualPipeV.
#pragma once

#include <span>

#include "core/base/units.hpp"
#include "core/model/schedule_kind.hpp"
#include "core/planner/mesh/pipeline_floor.hpp"

namespace pipedeck::planner::mesh {

/// A pipeline of P v stages with M micro-batches.
struct SplitPipeline {
  ScheduleKind order = ScheduleKind::zb_h1;
  int ranks = 1, micro_batches = 1;
};

/// Returns a time that no simulation of the step is below. `stages`: P v; along a V, stages s and 2 P - 1 - s are on
/// rank s.
Seconds split_floor(std::span<const FloorStage> stages, const SplitPipeline& pipeline);

}  // namespace pipedeck::planner::mesh
