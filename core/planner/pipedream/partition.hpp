// SPDX-License-Identifier: Apache-2.0
// PipeDream's partition of a problem: the best answer of the searches over the layer graph or one order of it, with the
// requested levels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/planner/pipedream/search.hpp"
#include "core/planner/planner.hpp"

namespace pipedeck::planner::pipedream {

enum class Levels { automatic, flat, any };

struct Request {
  Options search;
  Levels levels = Levels::automatic;
  bool allow_idle = false;  ///< also fewer components of a level, everywhere as many
};

/// A partition, as stages of a chain in the order that makes them contiguous.
struct Partition {
  search::Chain chain;
  std::vector<Stage> stages;
  Seconds slowest;
  std::string objective;  ///< its name: the levels of the slowest stage
  std::string proven;     ///< the space in which no partition is better; empty: unknown
  std::vector<std::string> notes;
  bool truncated = false;
};

/// Nothing where no partition is sure to fit. `size`: samples of a mini-batch on one replica.
Result<std::optional<Partition>> pipedream_partition(search::Chain& chain, int size, const Request& wanted,
                                                     const PlannerContext& context);

/// More steps than the search is let take, even in one topological order.
bool too_large_for_pipedream(search::Chain& chain, const Request& wanted, const PlannerContext& context);

}  // namespace pipedeck::planner::pipedream
