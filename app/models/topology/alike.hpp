// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of alike nodes. Each is drawn as one box with a count until it is opened.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <QPointF>
#include <QSizeF>
#include <QString>
#include <QStringList>

#include "core/model/cluster.hpp"
#include "core/model/cluster_layout.hpp"

namespace pipedeck::models::topology {

/// A group of nodes with equal devices, inside links and cards, and with equal links to the same switches.
struct AlikeNodes {
  std::vector<std::size_t> nodes;  ///< positions in Cluster::nodes
  bool open = false;

  /// Returns the size of the whole box: closed, or open around its nodes.
  QSizeF size(const Cluster& cluster) const;
  /// Returns the corner of the n-th node in the box. Nodes are in a grid, in the cluster's order.
  QPointF corner(const Cluster& cluster, std::size_t n) const;

 private:
  std::size_t columns(const Cluster& cluster) const;
};

/// Returns the groups that are drawn as one box. Nodes in racks and in clusters with a matrix are never in one.
/// `opened` has names of nodes; the groups of these nodes are open.
std::vector<AlikeNodes> alike_nodes(const Cluster& cluster, const ClusterLayout& layout,
                                    const std::set<std::string>& opened);

/// Returns "128 × p5.48xlarge", or "128 nodes" if the names have no word in common.
QString alike_title(const Cluster& cluster, const AlikeNodes& group);
/// Returns "n0 to n127", "8 × H100-SXM each, 1,024 in all", and "450 GB/s inside, cards 8 × 400 Gbit/s".
QStringList alike_lines(const Cluster& cluster, const AlikeNodes& group);

/// Returns "8 × H100-SXM", "450 GB/s inside" and "8 × 400 Gbit/s", as far as the node has them.
QStringList node_details(const Node& node);

}  // namespace pipedeck::models::topology
