// SPDX-License-Identifier: Apache-2.0
// PipeDream's partition of a problem: the layer graph or one order of it, the levels that are asked for, the best
// answer of the searches over them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/planner/pipedream_search.hpp"
#include "core/planner/planner.hpp"

namespace pipedeck {

enum class PipedreamLevels { automatic, flat, any };

struct PipedreamRequest {
  PipedreamOptions search;
  PipedreamLevels levels = PipedreamLevels::automatic;
  bool allow_idle = false;  ///< also fewer components of a level, everywhere as many
};

/// A partition, as stages of a chain in the order that makes them contiguous.
struct PipedreamPartition {
  Chain chain;
  std::vector<Stage> stages;
  Seconds slowest;
  std::string objective;  ///< its name: by which reading of the devices the slowest stage counts
  std::string proven;     ///< the space in which none is better; empty: unknown
  std::vector<std::string> notes;
  bool truncated = false;
};

/// Nothing where no partition is sure to fit. `size`: samples of a mini-batch on one replica.
Result<std::optional<PipedreamPartition>> pipedream_partition(Chain& chain, int size, const PipedreamRequest& wanted,
                                                              const PlannerContext& context);

/// More steps than the search is let take, even in one topological order.
bool too_large_for_pipedream(Chain& chain, const PipedreamRequest& wanted, const PlannerContext& context);

}  // namespace pipedeck
