// SPDX-License-Identifier: Apache-2.0
// Computes the figures of the program that PipeDream's authors released (pipedream --as-released).
#pragma once

#include "core/planner/planner.hpp"

namespace pipedeck::planner::pipedream {

struct ReleasedOptions {
  int micro_batch = 1;  ///< samples of a mini-batch on one replica
  bool flat = false;    ///< all devices in one level
  bool memory = false;  ///< use its own memory rule
};

Result<Ranking> plan_pipedream_as_released(const Problem& problem, const ReleasedOptions& options,
                                           const PlannerContext& context);

}  // namespace pipedeck::planner::pipedream
