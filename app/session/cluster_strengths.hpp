// SPDX-License-Identifier: GPL-3.0-or-later
// What a cluster is good at, from its figures alone: where it is narrowest, what an all-reduce over it takes, which
// devices are slower.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/domain/cluster.hpp"
#include "core/domain/workload.hpp"

namespace pipedeck::app {

struct ClusterStrengths {
  /// The nodes of one side, in cluster order, that the least bandwidth joins to all others: the sum of its links.
  struct Cut {
    std::vector<std::string> side;
    BytesPerSecond bandwidth;
  };
  std::optional<Cut> narrowest;

  /// Of all devices, by the question's own way of all-reducing; and of the devices of one node, the slowest.
  struct AllReduce {
    Bytes bytes;
    Seconds everywhere;
    std::optional<Seconds> inside;
    std::optional<BytesPerSecond> between;  ///< the narrowest path from node to node
  };
  std::optional<AllReduce> all_reduce;

  struct Type {
    std::string name;
    int devices = 0;
    double times_slower = 1;  ///< than the fastest
  };
  std::vector<Type> types;  ///< those with devices, fastest first
};

/// `gradients`: what training all-reduces. A cluster that is not connected has types alone.
ClusterStrengths strengths_of(const Cluster& cluster, Bytes gradients, const Conventions& conventions);

}  // namespace pipedeck::app
