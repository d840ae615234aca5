// SPDX-License-Identifier: GPL-3.0-or-later
// Positions of a cluster's nodes, devices, switches, links and racks: boxes and lines in the drawing's own pixels,
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
#include <QStringList>

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
  QStringList details;  ///< "8 × H100-SXM", "450 GB/s inside", "8 × 400 Gbit/s"
  std::vector<TopologyDevice> devices;
  std::vector<Share> shares;
  int rack = -1;
  bool hidden = false;   ///< its rack is collapsed
  bool compact = false;  ///< one of an open group of alike nodes: a name and small squares
};

struct TopologySwitch {
  QRectF rect;
  QPointF port;  ///< at the bottom
  QString name;
  QString detail;
  int rack = -1;
  bool hidden = false;
};

/// A box around several nodes and switches: a rack that the user made, or a group of alike nodes.
struct Rack {
  QRectF rect;                ///< around its members, or its collapsed box
  QRectF header;              ///< strip by which the whole rack is dragged
  QRectF toggle;              ///< arrow that opens and closes it
  QString name;               ///< of a group its title, "128 × p5.48xlarge"
  QString detail;             ///< "4 nodes · 32 devices"
  QString uplinks;            ///< "2 uplinks · 200 Gbit/s"
  QStringList lines;          ///< texts in the collapsed box
  std::vector<Share> shares;  ///< the sum of its devices
  std::vector<std::string> members;
  bool collapsed = false;
  bool alike = false;  ///< a group of alike nodes, whose links end at its own edge
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
  std::vector<QPointF> path;  ///< from `from_end`, the upper one, in horizontal and vertical parts; empty: no way
  QPointF label;              ///< centre of the label
  QString text;               ///< "25 Gbit/s", "4 × 25 Gbit/s"
  int link = 0;               ///< position in Cluster::links; the first one of a bundle
  std::vector<int> links{};
  End from_end, to_end;
};

/// A label with the rate of one link, or of all links that end at one port.
struct TopologyLabel {
  QRectF room;  ///< on the ground, where nothing else is drawn; the text is in its centre
  QString text;
  std::vector<std::size_t> links{};  ///< positions in Layout::links
};

/// An element at a point.
struct Hit {
  enum Kind { node, device, network_switch, link, rack, label };
  Kind kind = node;
  /// The index of the node, device (number in plans), switch or rack, of a link in Cluster::links, or of a shared
  /// label.
  int index = 0;
  bool operator==(const Hit&) const = default;
};

using Places = std::map<std::string, ClusterLayout::Place>;

struct Layout {
  std::vector<TopologyNode> nodes;       ///< as Cluster::nodes
  std::vector<TopologySwitch> switches;  ///< as Cluster::switches
  std::vector<Rack> racks;               ///< by name
  std::vector<TopologyLink> links;       ///< visible ones
  std::vector<TopologyLabel> labels;     ///< of links
  QRectF bounds;                         ///< of all visible elements, with a margin
  Places places;                         ///< of every node and switch, hidden ones too
  std::map<std::string, End> by_name;    ///< the visible end of each node and switch

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
  /// Returns all boxes that no line may cross: those of ends(), and open groups as a whole.
  std::vector<End> solids() const;
  std::optional<End> find_end(const std::string& name) const;
  /// Returns the links of a label, as positions in Cluster::links.
  std::vector<int> links_of(const TopologyLabel& label) const;
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
QSizeF compact_size(const Node& node);  ///< in an open group of alike nodes
QSizeF switch_size();
QSizeF rack_size();   ///< collapsed
QSizeF alike_size();  ///< of a closed group

/// Returns the layout as arranged by hand. Elements without a place are arranged automatically (arrange.hpp). Groups of
/// alike nodes are one box (alike.hpp), except those with a node in `opened`.
Layout topology_layout(const Cluster& cluster, const ClusterLayout& layout = {},
                       const std::set<std::string>& opened = {});

/// A curve from one box to another, for a link while it is drawn or moved.
struct Curve {
  QPointF from, to;
  bool arc = false;
  bool swapped = false;  ///< `from` is the second box, which is above the first
};
Curve curve_between(const std::array<QPointF, 2>& a, const std::array<QPointF, 2>& b);
/// Returns a point of a link's path, t in [0, 1].
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
