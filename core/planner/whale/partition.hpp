// SPDX-License-Identifier: Apache-2.0
// Inter-TaskGraph load balance (Whale, section 3.3.2): the stage boundaries between the TaskGraphs of a layout, and the
// shares within each. Among the partitions of the chain's order that fit with the micro-batches that 1F1B holds, it
// finds one whose slowest replica is quickest. Among these (unless there are millions of ranges) it finds the least sum
// of the TaskGraphs' times, which is the time to fill the pipeline. With equal devices that is the classic block
// partition; otherwise every TaskGraph gets layers in proportion to the speed of its devices.
//
// The search is over bounds. For a bound, the ends that TaskGraphs 0..s can reach within it follow one from another,
// and a reached end of the last one is a partition. Bounds grow from perfect balance until a partition exists, then
// close in from both sides. The last step, "strictly quicker than the best so far", proves the minimum.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "core/planner/whale/graph.hpp"

namespace pipedeck::planner::whale {

/// A partition of the layers among the TaskGraphs of a layout.
struct Split {
  std::vector<int> ends;                 ///< of the TaskGraphs
  std::vector<std::vector<int>> shares;  ///< of each TaskGraph's replicas; 0: can't hold a slice, unused
  std::vector<ShardFractions> columns;   ///< of each TaskGraph's split layers, per replica
  bool recompute = false;                ///< all layers: 1F1B does not fit otherwise
  std::vector<double> times;      ///< s: of each TaskGraph's slowest replica, one micro-batch forward and backward
  bool is_heterogeneous = false;  ///< some columns may be uneven
  bool exact = true;              ///< no shares and columns of these layers are better
};

/// With more layers, several TaskGraphs are partitioned only if the replicas of each are equal: shares that change with
/// every range of layers would take minutes.
inline constexpr int max_layers_unlike = 600;

/// Nothing where no cut fits, the problem is above that limit, or `stop` or `hurry` was requested.
std::optional<Split> split_layers(WhaleCosts& costs, const Layout& layout, const SplitRequest& question,
                                  const std::stop_token& stop, const std::stop_token& hurry = {});

}  // namespace pipedeck::planner::whale
