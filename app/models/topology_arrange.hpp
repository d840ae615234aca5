// SPDX-License-Identifier: GPL-3.0-or-later
// The automatic arrangement of a cluster: switches in rows above by their distance from the nodes, nodes and racks in
// rows below, each rack a block of its own.
#pragma once

#include "app/models/topology_geometry.hpp"

namespace pipedeck::app {

/// Places of all nodes and switches; of `layout` only racks and what of them is collapsed count.
TopologyPlaces arranged(const Cluster& cluster, const ClusterLayout& layout);

/// Those of `layout`, and places for what has none there: beside and below what is there, without overlaps.
TopologyPlaces completed(const Cluster& cluster, const ClusterLayout& layout);

/// Room around the members of an open rack.
struct RackRoom {
  static constexpr double side = 14, top = 42, bottom = 14;
};

}  // namespace pipedeck::app
