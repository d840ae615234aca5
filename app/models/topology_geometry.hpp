// SPDX-License-Identifier: GPL-3.0-or-later
// Where nodes, devices, switches, links and racks of a cluster lie: plain boxes and curves in the drawing's own pixels,
// which the view pans and zooms.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include "core/domain/cluster.hpp"
#include "core/domain/cluster_layout.hpp"

namespace pipedeck::app {

struct TopologyDevice {
  QRectF rect;
  QString name;    ///< "G3"
  QString type;    ///< "V100-16GB"
  int device = 0;  ///< plan numbering
  int type_index = 0;
};

/// Devices of one type, for who is too far away to read each.
struct TopologyShare {
  QString text;  ///< "8 × V100-16GB"
  int count = 0;
  int type_index = 0;
};

struct TopologyNode {
  QRectF rect;
  QRectF header;
  QPointF port;  ///< where links to the network end, above
  QString name;
  QString link;  ///< "130 GB/s"; empty for one device
  std::vector<TopologyDevice> devices;
  std::vector<TopologyShare> shares;
  int rack = -1;
  bool hidden = false;  ///< its rack is collapsed
};

struct TopologySwitch {
  QRectF rect;
  QPointF port;  ///< below
  QString name;
  QString detail;
  int rack = -1;
  bool hidden = false;
};

struct TopologyRack {
  QRectF rect;    ///< around its members, or the one box
  QRectF header;  ///< the strip that takes hold of all
  QRectF toggle;  ///< the arrow that opens and shuts it
  QString name;
  QString detail;                     ///< "4 nodes · 32 devices"
  QString uplinks;                    ///< "2 uplinks · 200 Gbit/s"
  std::vector<TopologyShare> shares;  ///< the sum of its devices
  std::vector<std::string> members;
  bool collapsed = false;
};

/// What a link ends at in the drawing.
struct TopologyEnd {
  enum Kind { node, network_switch, rack };
  Kind kind = node;
  int index = 0;
  bool operator==(const TopologyEnd&) const = default;
  auto operator<=>(const TopologyEnd&) const = default;
};

struct TopologyLink {
  QPointF from, to;  ///< `from` is the upper one
  QPointF label;     ///< centre of the label
  QString text;      ///< "25 Gbit/s", "4 × 25 Gbit/s"
  bool arc = false;  ///< between two boxes of one row: bows upwards
  int link = 0;      ///< position in Cluster::links, of the first where several are one line
  std::vector<int> links{};
  TopologyEnd from_end, to_end;
};

/// What lies under a point.
struct TopologyHit {
  enum Kind { node, device, network_switch, link, rack };
  Kind kind = node;
  int index = 0;  ///< of the node, device (plan numbering), switch, rack; of a link in Cluster::links
  bool operator==(const TopologyHit&) const = default;
};

using TopologyPlaces = std::map<std::string, ClusterLayout::Place>;

struct TopologyLayout {
  std::vector<TopologyNode> nodes;       ///< as Cluster::nodes
  std::vector<TopologySwitch> switches;  ///< as Cluster::switches
  std::vector<TopologyRack> racks;       ///< by name
  std::vector<TopologyLink> links;       ///< what is drawn: hidden ones are not here
  QRectF bounds;                         ///< of all that is drawn, with a margin
  TopologyPlaces places;                 ///< of every node and switch, hidden ones too

  /// Links are found within `reach` of their curve.
  std::optional<TopologyHit> hit(QPointF point, double reach = 8) const;
  /// The end whose port lies within `reach` of the point, else the box under it.
  std::optional<TopologyEnd> port_at(QPointF point, double reach) const;
  std::optional<TopologyEnd> box_at(QPointF point) const;
  std::optional<int> toggle_at(QPointF point) const;
  QRectF rect_of(const TopologyEnd& end) const;
  QString name_of(const TopologyEnd& end) const;
  /// Upper and lower port.
  std::array<QPointF, 2> ports_of(const TopologyEnd& end) const;
  /// Everything drawn that a selection can hold, in the order in which keys go through it.
  std::vector<TopologyEnd> ends() const;
  std::optional<TopologyEnd> end_named(const std::string& name) const;
};

/// What is chosen: nodes and switches by name, links by position.
struct TopologySelection {
  std::set<std::string> places;
  std::set<int> links;
  bool operator==(const TopologySelection&) const = default;
  bool empty() const { return places.empty() && links.empty(); }
};
TopologySelection united(TopologySelection a, const TopologySelection& b);
/// Without `with` where all of it is selected, else with it.
TopologySelection toggled(TopologySelection selection, const TopologySelection& with);

inline constexpr double topology_grid = 14;  ///< what positions snap to; every second line has dots

QSizeF topology_size(const Node& node);
QSizeF topology_switch_size();
QSizeF topology_rack_size();  ///< collapsed

/// As it was arranged by hand; what has no place there is arranged automatically (topology_arrange.hpp).
TopologyLayout topology_layout(const Cluster& cluster, const ClusterLayout& layout = {});

/// What the line from one box to another looks like, for links and for one that is being drawn.
struct TopologyCurve {
  QPointF from, to;
  bool arc = false;
  bool swapped = false;  ///< `from` is the second box: it lies above
};
TopologyCurve curve_between(const std::array<QPointF, 2>& a, const std::array<QPointF, 2>& b);
/// A point of a curve, t in [0, 1].
QPointF point_on(const TopologyCurve& curve, double t);
QPointF point_on(const TopologyLink& link, double t);

/// Without nodes, switches and links that are not there.
TopologySelection pruned(const TopologySelection& selection, const Cluster& cluster);
/// What was chosen before an edit, as far as it is there after it: links by their ends, whose positions move.
TopologySelection carried(const TopologySelection& selection, const Cluster& before, const Cluster& now);
/// Nodes and switches whose boxes the rectangle touches, and links whose label it holds. Collapsed racks: all members.
TopologySelection in_rectangle(const TopologyLayout& layout, const QRectF& rectangle);

/// Bytes a second between any two devices, 0 with themselves and where nothing joins them: the given matrix, else the
/// node's link inside a node and the widest path between nodes.
std::vector<std::vector<double>> device_bandwidth(const Cluster& cluster);
/// The same between nodes, with the inside of each on the diagonal: the narrowest of a matrix.
std::vector<std::vector<double>> node_bandwidth(const Cluster& cluster);

/// "25 Gbit/s" for networks, "130 GB/s" within a node.
QString network_text(BytesPerSecond bandwidth);
QString inside_text(BytesPerSecond bandwidth);

/// Bandwidth of every pair of devices of a node or of a given matrix, and of nodes over their links, in words.
QString tool_tip(const Cluster& cluster, const TopologyHit& hit);

/// "2 nodes · 16 devices · 16 × V100-16GB".
QString summary(const Cluster& cluster);

}  // namespace pipedeck::app
