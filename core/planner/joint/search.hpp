// SPDX-License-Identifier: Apache-2.0
// Joint's dynamic programme. It finds the pipelines of least closed form (costs.hpp) for one micro-batch size.
// Stage boundaries are places of layers.hpp, and stages have consecutive devices of one order.
//
// Stages are added from the last to the first. So the number of stages behind a stage is known, and with it the
// micro-batches that 1F1B holds. The state is (layers left as an ideal, devices left, devices of the stage added last).
// Each state has the Pareto set of the closed form's two figures, and of the number of stages if memory or a pin
// depends on it.
#pragma once

#include <limits>
#include <stop_token>
#include <vector>

#include "core/planner/joint/space.hpp"

namespace pipedeck::planner::joint {

struct TeamRange {
  int first = 0, last = 0;  ///< places
  int team = 0;
  bool recompute = false;
};

struct Candidate {
  double bound = 0;
  std::vector<TeamRange> parts;
};

struct SearchOptions {
  double below = std::numeric_limits<double>::infinity();  ///< only candidates with a smaller closed form
  std::size_t keep = 1;
  std::size_t search_budget = 1000000;  ///< maximum suffixes
  bool full_warmup = false;             ///< stages hold the micro-batches of 1F1B's policy A; else one
  bool recompute = false;               ///< stages may recompute
  /// Every pipeline whose stages may hold policy A's micro-batches, even if another one is faster: it may not fit. The
  /// closed form leaves out recomputation while a stage waits.
  bool every = false;
  Detail detail{};
  bool any_end = false;  ///< devices may be idle at both ends of the order, not only at its begin
};

struct Found {
  std::vector<Candidate> candidates;  ///< best first
  bool cut_short = false;             ///< by the effort, or a stop
  bool memory_short = false;          ///< some stage could not hold what policy A keeps
  bool whole = true;                  ///< every cut, number of replicas and device was considered
  std::size_t effort = 0;             ///< used
};

/// `stop` and `hurry` end it early.
Found search_joint(JointCosts& costs, const std::vector<DeviceId>& order, int micro_batch, const SearchOptions& options,
                   const std::stop_token& stop, const std::stop_token& hurry);

}  // namespace pipedeck::planner::joint
