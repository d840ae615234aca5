// SPDX-License-Identifier: GPL-3.0-or-later
// Positions of a cluster's nodes, devices, switches, links and racks: boxes and curves in the drawing's own pixels,
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

#include "core/model/cluster.hpp"
#include "core/model/cluster_layout.hpp"

namespace pipedeck::models::topology {

struct TopologyDevice {
  QRectF rect;
  QString name;    ///< "G3"
  QString type;    ///< "V100-16GB"
  int device = 0;  ///< number in plans
  int type_index = 0;
};

/// A summary of the devices of one type, for zoom levels without single devices.
struct Share {
  QString text;  ///< "8 × V100-16GB"
  int count = 0;
  int type_index = 0;
};

struct TopologyNode {
  QRectF rect;
  QRectF header;
  QPointF port;  ///< end of links to the network, at the top
  QString name;
  QString link;  ///< "130 GB/s"; empty for a single device
  std::vector<TopologyDevice> devices;
  std::vector<Share> shares;
  int rack = -1;
  bool hidden = false;  ///< its rack is collapsed
};

struct TopologySwitch {
  QRectF rect;
  QPointF port;  ///< at the bottom
  QString name;
  QString detail;
  int rack = -1;
  bool hidden = false;
};

struct Rack {
  QRectF rect;    ///< around its members, or its collapsed box
  QRectF header;  ///< strip by which the whole rack is dragged
  QRectF toggle;  ///< arrow that opens and closes it
  QString name;
  QString detail;             ///< "4 nodes · 32 devices"
  QString uplinks;            ///< "2 uplinks · 200 Gbit/s"
  std::vector<Share> shares;  ///< the sum of its devices
  std::vector<std::string> members;
  bool collapsed = false;
};

/// An end of a link in the drawing.
struct End {
  enum Kind { node, network_switch, rack };
  Kind kind = node;
  int index = 0;
  bool operator==(const End&) const = default;
  auto operator<=>(const End&) const = default;
};

struct TopologyLink {
  QPointF from, to;  ///< `from` is the upper one
  QPointF label;     ///< centre of the label
  QString text;      ///< "25 Gbit/s", "4 × 25 Gbit/s"
  bool arc = false;  ///< between two boxes of one row: bows upwards
  int link = 0;      ///< position in Cluster::links; the first one of a bundle
  std::vector<int> links{};
  End from_end, to_end;
};

/// An element at a point.
struct Hit {
  enum Kind { node, device, network_switch, link, rack };
  Kind kind = node;
  int index = 0;  ///< of the node, device (number in plans), switch or rack; of a link in Cluster::links
  bool operator==(const Hit&) const = default;
};

using Places = std::map<std::string, ClusterLayout::Place>;

struct Layout {
  std::vector<TopologyNode> nodes;       ///< as Cluster::nodes
  std::vector<TopologySwitch> switches;  ///< as Cluster::switches
  std::vector<Rack> racks;               ///< by name
  std::vector<TopologyLink> links;       ///< visible ones
  QRectF bounds;                         ///< of all visible elements, with a margin
  Places places;                         ///< of every node and switch, hidden ones too

  /// Returns the element at a point; links are found within `reach` of their curve.
  std::optional<Hit> hit(QPointF point, double reach = 8) const;
  /// Returns the end whose port is within `reach` of the point, or else the box under it.
  std::optional<End> port_at(QPointF point, double reach) const;
  std::optional<End> box_at(QPointF point) const;
  std::optional<int> toggle_at(QPointF point) const;
  QRectF rect_of(const End& end) const;
  QString name_of(const End& end) const;
  /// Returns the upper and the lower port.
  std::array<QPointF, 2> ports_of(const End& end) const;
  /// Returns all visible elements that can be selected, in the order of keyboard navigation.
  std::vector<End> ends() const;
  std::optional<End> find_end(const std::string& name) const;
};

/// A selection: nodes and switches by name, links by position.
struct Selection {
  std::set<std::string> places;
  std::set<int> links;
  bool operator==(const Selection&) const = default;
  bool empty() const { return places.empty() && links.empty(); }
};
Selection united(Selection a, const Selection& b);
/// Removes `with` if all of it is selected, otherwise adds it.
Selection toggled(Selection selection, const Selection& with);

inline constexpr double topology_grid = 14;  ///< positions snap to it; every second line has dots

QSizeF topology_size(const Node& node);
QSizeF switch_size();
QSizeF rack_size();  ///< collapsed

/// Returns the layout as arranged by hand. Elements without a place are arranged automatically (arrange.hpp).
Layout topology_layout(const Cluster& cluster, const ClusterLayout& layout = {});

/// A curve from one box to another, for a link or one that is being drawn.
struct Curve {
  QPointF from, to;
  bool arc = false;
  bool swapped = false;  ///< `from` is the second box, which is above the first
};
Curve curve_between(const std::array<QPointF, 2>& a, const std::array<QPointF, 2>& b);
/// Returns a point of a curve, t in [0, 1].
QPointF point_on(const Curve& curve, double t);
QPointF point_on(const TopologyLink& link, double t);

/// Returns the selection without nodes, switches and links that do not exist.
Selection pruned(const Selection& selection, const Cluster& cluster);
/// Returns the part of a selection that still exists after an edit. Links are matched by their ends, since their
/// positions change.
Selection remap_selection(const Selection& selection, const Cluster& before, const Cluster& now);
/// Returns nodes and switches whose boxes intersect the rectangle, and links whose label is inside it. A collapsed rack
/// yields all its members.
Selection in_rectangle(const Layout& layout, const QRectF& rectangle);

/// Formats a bandwidth: "25 Gbit/s" for networks, "130 GB/s" within a node.
QString network_text(BytesPerSecond bandwidth);
QString inside_text(BytesPerSecond bandwidth);

/// Describes the bandwidth of each pair of a node's devices or of a given matrix, and of nodes over their links.
QString tool_tip(const Cluster& cluster, const Hit& hit);

/// Returns "2 nodes · 16 devices · 16 × V100-16GB".
QString summary(const Cluster& cluster);

}  // namespace pipedeck::models::topology
