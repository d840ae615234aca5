// SPDX-License-Identifier: Apache-2.0
// The cluster in PipeDream's model (section 3.1, figure 7): level k has m_k components of level k - 1, joined by links
// of bandwidth B_k. Bandwidths within a level are equal. So nodes joined by wider paths than the rest (one switch, one
// group of switches) form a level of their own.
#pragma once

#include <vector>

#include "core/cost/network.hpp"

namespace pipedeck::planner::pipedream {

struct Level {
  int components = 1;    ///< m_k
  double bandwidth = 0;  ///< B_k, bytes/s: the narrowest of the widest paths between two components
  int devices = 1;       ///< in one component of level k - 1
};

struct Topology {
  std::vector<Level> levels;      ///< lowest first; none for one device
  std::vector<DeviceId> devices;  ///< in component order
};

/// A level of one member vanishes; nodes of unequal size make one flat level, and so does `flat`. A group of nodes is
/// a level only where all groups have as many.
Topology pipedream_topology(const cost::Network& network, bool flat);

/// Returns the topology with the first components of each level, for every choice of their numbers except all, most
/// devices first. Bandwidths are the whole cluster's.
std::vector<Topology> smaller_topologies(const Topology& all);

}  // namespace pipedeck::planner::pipedream
