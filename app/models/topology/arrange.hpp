// SPDX-License-Identifier: GPL-3.0-or-later
// The automatic arrangement of a cluster. Switches are in rows above, by their distance from the nodes; nodes and racks
// are in rows below. Each rack is a block.
#pragma once

#include "app/models/topology/alike.hpp"
#include "app/models/topology/geometry.hpp"

namespace pipedeck::models::topology {

/// Returns the places of all nodes and switches. `layout` only provides racks and their collapsed state.
Places arranged(const Cluster& cluster, const ClusterLayout& layout, const std::vector<AlikeNodes>& groups);

/// Returns the places of `layout`. Nodes and switches without one are placed in rows below the others, without
/// overlaps. Nodes of a group stay in its grid, which moves as a whole.
Places completed(const Cluster& cluster, const ClusterLayout& layout, const std::vector<AlikeNodes>& groups);

/// A margin around the members of an open rack. The header is at the top, with room for a link's label below it.
struct RackRoom {
  static constexpr double side = 14, header = 30, top = 78, bottom = 14;
};

}  // namespace pipedeck::models::topology
