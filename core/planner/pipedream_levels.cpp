// SPDX-License-Identifier: Apache-2.0
#include "core/planner/pipedream_levels.hpp"

#include <algorithm>
#include <limits>

namespace pipedeck {

namespace {

/// Narrowest path between two devices of which `joins` holds.
template <class Joins>
double narrowest(const Network& network, Joins joins) {
  double least = std::numeric_limits<double>::infinity();
  for (const DeviceId a : network.representatives())
    for (const DeviceId b : network.representatives())
      if (a != b && joins(network.node_of(a), network.node_of(b)))
        least = std::min(least, network.path(a, b).bandwidth.count);
  return least;
}

/// Devices of every node, or 0 where nodes differ.
int devices_a_node(const Network& network) {
  std::vector<int> counts(static_cast<std::size_t>(network.node_count()), 0);
  for (int d = 0; d < network.device_count(); ++d) ++counts[network.node_of(DeviceId(d)).index()];
  return std::all_of(counts.begin(), counts.end(), [&](int n) { return n == counts.front(); }) ? counts.front() : 0;
}

}  // namespace

std::vector<PipedreamLevel> pipedream_levels(const Network& network, bool flat) {
  const int devices = network.device_count(), in_node = devices_a_node(network);
  if (devices == 1) return {};
  if (flat || in_node == 0 || in_node == 1 || network.node_count() == 1)
    return {{devices, narrowest(network, [](NodeId, NodeId) { return true; }), 1}};
  return {{in_node, narrowest(network, [](NodeId a, NodeId b) { return a == b; }), 1},
          {network.node_count(), narrowest(network, [](NodeId a, NodeId b) { return a != b; }), in_node}};
}

}  // namespace pipedeck
