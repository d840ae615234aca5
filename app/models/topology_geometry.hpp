// SPDX-License-Identifier: GPL-3.0-or-later
// Where nodes, devices, switches and links of a cluster lie: plain boxes and curves in a scene that the view scales.
#pragma once

#include <optional>
#include <vector>

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include "core/domain/cluster.hpp"

namespace pipedeck::app {

struct TopologyDevice {
  QRectF rect;
  QString name;    ///< "G3"
  QString type;    ///< "V100-16GB"
  int device = 0;  ///< plan numbering
  int type_index = 0;
};

struct TopologyNode {
  QRectF rect;
  QRectF header;
  QPointF port;  ///< where links to the network end
  QString name;
  QString link;  ///< "130 GB/s"; empty for one device
  std::vector<TopologyDevice> devices;
};

struct TopologySwitch {
  QRectF rect;
  QPointF port;
  QString name;
  QString detail;
};

struct TopologyLink {
  QPointF from, to;
  QPointF label;     ///< centre of the label
  QString text;      ///< "25 Gbit/s"
  bool arc = false;  ///< between two boxes of one row: bows upwards
  int link = 0;      ///< position in Cluster::links
};

/// What lies under a point.
struct TopologyHit {
  enum Kind { node, device, network_switch, link };
  Kind kind = node;
  int index = 0;  ///< of the node, device (plan numbering), switch or link
  bool operator==(const TopologyHit&) const = default;
};

struct TopologyLayout {
  std::vector<TopologyNode> nodes;
  std::vector<TopologySwitch> switches;
  std::vector<TopologyLink> links;
  QSizeF size;

  std::optional<TopologyHit> hit(QPointF point) const;
};

/// Lays the cluster out for `width` pixels: switches in a row above, nodes in rows below, as many a row as fit.
TopologyLayout topology_layout(const Cluster& cluster, double width);

/// Bytes a second between any two devices, 0 with themselves and where nothing joins them: the given matrix, else the
/// node's link inside a node and the widest path between nodes.
std::vector<std::vector<double>> device_bandwidth(const Cluster& cluster);

/// "25 Gbit/s" for networks, "130 GB/s" within a node.
QString network_text(BytesPerSecond bandwidth);
QString inside_text(BytesPerSecond bandwidth);

/// A point of the curve that draws `link`, t in [0, 1].
QPointF point_on(const TopologyLink& link, double t);

/// Bandwidth of every pair of devices of a node or of a given matrix, and of nodes over their links, in words.
QString tool_tip(const Cluster& cluster, const TopologyHit& hit);

/// "2 nodes · 16 devices · 16 × V100-16GB".
QString summary(const Cluster& cluster);

}  // namespace pipedeck::app
