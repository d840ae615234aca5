// SPDX-License-Identifier: Apache-2.0
// Inter-TaskGraph load balance (Whale, section 3.3.2): where the layers are cut between the TaskGraphs of a layout, and
// the shares within each. Of all cuts of the chain's order whose TaskGraphs fit their devices with the micro-batches
// that 1F1B keeps there, one whose slowest replica is quickest; of these (unless there are millions of ranges to look
// at) the least sum of the TaskGraphs' times, which is what filling the pipeline takes. With like devices that is the
// classic block partition; with unlike ones every TaskGraph gets layers in proportion to what its devices do together.
//
// A search over bounds: for a bound, the ends that TaskGraphs 0..s can reach without exceeding it follow one from
// another, and a reached end of the last one is a partition. Bounds grow from what perfect balance would take until one
// can be met, then close in from both sides; the last step, "strictly quicker than the best so far", proves the
// minimum.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "core/planner/whale/graph.hpp"

namespace pipedeck::planner::whale {

struct Split {
  std::vector<int> ends;                 ///< of the TaskGraphs
  std::vector<std::vector<int>> shares;  ///< of each TaskGraph's replicas; 0: cannot hold a slice, left out
  std::vector<Columns> columns;          ///< of each TaskGraph's split layers, of each replica
  std::vector<int> warmups;              ///< micro-batches kept by each TaskGraph
  std::vector<double> times;             ///< s: of each TaskGraph's slowest replica, a micro-batch forward and back
  bool unlike = false;                   ///< some columns may be uneven
  bool exact = true;                     ///< no shares and columns of these layers are better
};

/// Above so many layers, several TaskGraphs are cut only where the replicas of each are alike: shares that change with
/// every range of layers would take minutes.
inline constexpr int most_layers_unlike = 600;

/// Nothing where no cut fits, the problem is above that limit, or `stop` or `hurry` was requested.
std::optional<Split> split_layers(WhaleCosts& costs, const Layout& layout, const SplitQuestion& question,
                                  const std::stop_token& stop, const std::stop_token& hurry = {});

}  // namespace pipedeck::planner::whale
