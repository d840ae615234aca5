// SPDX-License-Identifier: GPL-3.0-or-later
// The strengths of a cluster from its figures: its cut with the least bandwidth, the time of an all-reduce, and slower
// devices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/cluster.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::session::cluster {

struct Strengths {
  /// A partition of the nodes with the least bandwidth between both sides. `side` lists one side in cluster order;
  /// `bandwidth` is the sum over the links.
  struct MinCut {
    std::vector<std::string> side;
    BytesPerSecond bandwidth;
  };
  std::optional<MinCut> narrowest;

  /// An all-reduce over all devices with the question's algorithm, and over the devices of one node (the slowest node).
  struct AllReduce {
    Bytes bytes;
    Seconds everywhere;
    std::optional<Seconds> inside;
    std::optional<BytesPerSecond> between;  ///< minimum over the paths between nodes
  };
  std::optional<AllReduce> all_reduce;

  struct Type {
    std::string name;
    int devices = 0;
    double slowdown = 1;  ///< factor compared with the fastest type
  };
  std::vector<Type> types;  ///< types with devices, fastest first
};

/// Computes the strengths. `gradients` are the bytes of an all-reduce. A disconnected cluster only has types.
Strengths summarize_cluster(const Cluster& cluster, Bytes gradients, const SimulationOptions& conventions);

}  // namespace pipedeck::session::cluster
