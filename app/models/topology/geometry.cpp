// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/topology/geometry.hpp"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>

#include "app/models/topology/arrange.hpp"

namespace pipedeck::models::topology {

namespace {

struct GeometryText {
  Q_DECLARE_TR_FUNCTIONS(Topology)
};

constexpr double device_width = 57;
constexpr double device_height = 42;
constexpr double device_gap = 8;
constexpr double padding = 14;
constexpr double header_height = 30;
constexpr double min_node_width = 12 * topology_grid;
constexpr int max_chips = 128;  ///< maximum devices of a node that are drawn individually

int device_count(const Node& node) {
  int count = 0;
  for (const DeviceGroup& group : node.devices) count += group.count;
  return count;
}

/// Returns the chips per row; 0 if there are too many to draw.
int columns_of(int devices) {
  if (devices > max_chips) return 0;
  if (devices <= 8) return std::min(devices, 4);
  return devices <= 32 ? 8 : 16;
}

Share share_of(const Cluster& cluster, const std::string& type, int count) {
  const DeviceType* known = find_device_type(cluster, type);
  return {QStringLiteral("%1 × %2").arg(count).arg(QString::fromStdString(type)), count,
          known ? static_cast<int>(known - cluster.device_types.data()) : 0};
}

/// Sums up shares by type, in the order of the types.
void add_shares(std::vector<Share>& to, const Cluster& cluster, const std::vector<DeviceGroup>& groups) {
  for (const DeviceGroup& group : groups) {
    const Share one = share_of(cluster, group.type, group.count);
    const auto same = std::ranges::find(to, one.type_index, &Share::type_index);
    if (same == to.end()) {
      to.push_back(one);
    } else {
      *same = share_of(cluster, group.type, same->count + group.count);
    }
  }
}

class Builder {
 public:
  Builder(const Cluster& cluster, const ClusterLayout& layout) : cluster_(cluster), layout_(layout) {
    out_.places = completed(cluster, layout);
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i)
      ends_[cluster.nodes[i].name] = {End::node, static_cast<int>(i)};
    for (std::size_t i = 0; i < cluster.switches.size(); ++i)
      ends_[cluster.switches[i].name] = {End::network_switch, static_cast<int>(i)};
  }

  Layout build() {
    for (const NetworkLink& link : cluster_.links) ++ports_[link.from], ++ports_[link.to];
    list_racks();
    place_nodes();
    place_switches();
    frame_racks();
    place_links();
    measure();
    return std::move(out_);
  }

 private:
  void list_racks() {
    for (const auto& [member, rack] : layout_.racks) {
      if (!ends_.contains(member)) continue;
      const QString name = QString::fromStdString(rack);
      auto at = std::ranges::find(out_.racks, name, &Rack::name);
      if (at == out_.racks.end()) {
        Rack placed;
        placed.name = name;
        placed.collapsed = layout_.collapsed.contains(rack);
        at = out_.racks.insert(out_.racks.end(), placed);
      }
      at->members.push_back(member);
    }
    std::ranges::sort(out_.racks, {}, &Rack::name);
    for (std::size_t r = 0; r < out_.racks.size(); ++r)
      for (const std::string& member : out_.racks[r].members) rack_of_[member] = static_cast<int>(r);
  }

  int rack_of(const std::string& name) const {
    const auto rack = rack_of_.find(name);
    return rack == rack_of_.end() ? -1 : rack->second;
  }
  bool hidden(const std::string& name) const {
    const int rack = rack_of(name);
    return rack >= 0 && out_.racks[static_cast<std::size_t>(rack)].collapsed;
  }
  QPointF corner_of(const std::string& name) const {
    const auto place = out_.places.find(name);
    return place == out_.places.end() ? QPointF() : QPointF(place->second.x, place->second.y);
  }

  void place_nodes() {
    int first = 0;
    for (const Node& node : cluster_.nodes) {
      out_.nodes.push_back(node_at(node, first));
      first += device_count(node);
    }
  }

  TopologyNode node_at(const Node& node, int first) const {
    TopologyNode placed;
    const QPointF corner = corner_of(node.name);
    placed.rect = QRectF(corner, topology_size(node));
    placed.header = QRectF(corner, QSizeF(placed.rect.width(), header_height));
    placed.port = QPointF(placed.rect.center().x(), placed.rect.top());
    placed.name = QString::fromStdString(node.name);
    placed.rack = rack_of(node.name);
    placed.hidden = hidden(node.name);
    if (node.link)
      placed.link = node.bus ? GeometryText::tr("bus %1").arg(inside_text(node.link->bandwidth))
                             : inside_text(node.link->bandwidth);
    add_shares(placed.shares, cluster_, node.devices);
    if (!placed.hidden) place_devices(placed, node, first);
    return placed;
  }

  void place_devices(TopologyNode& placed, const Node& node, int first) const {
    const int columns = columns_of(device_count(node));
    int slot = 0;
    for (const DeviceGroup& group : node.devices) {
      const int type = share_of(cluster_, group.type, 1).type_index;
      for (int i = 0; columns > 0 && i < group.count; ++i, ++slot) {
        const int column = slot % columns, row = slot / columns;
        const QPointF at(placed.rect.left() + padding + column * (device_width + device_gap),
                         placed.header.bottom() + padding + row * (device_height + device_gap));
        placed.devices.push_back({QRectF(at, QSizeF(device_width, device_height)),
                                  QStringLiteral("G%1").arg(first + slot), QString::fromStdString(group.type),
                                  first + slot, type});
      }
    }
  }

  void place_switches() {
    for (const Switch& s : cluster_.switches) {
      TopologySwitch placed;
      placed.rect = QRectF(corner_of(s.name), switch_size());
      placed.port = QPointF(placed.rect.center().x(), placed.rect.bottom());
      placed.name = QString::fromStdString(s.name);
      const int ports = ports_[s.name];
      placed.detail =
          ports == 1 ? GeometryText::tr("1 port · full duplex") : GeometryText::tr("%1 ports · full duplex").arg(ports);
      placed.rack = rack_of(s.name);
      placed.hidden = hidden(s.name);
      out_.switches.push_back(placed);
    }
  }

  QRectF box_of(const std::string& name) const {
    const End end = ends_.at(name);
    const auto i = static_cast<std::size_t>(end.index);
    return end.kind == End::node ? out_.nodes[i].rect : out_.switches[i].rect;
  }

  void frame_racks() {
    for (Rack& rack : out_.racks) {
      QRectF around;
      int nodes = 0, devices = 0;
      for (const std::string& member : rack.members) {
        around = around.isNull() ? box_of(member) : around.united(box_of(member));
        const End end = ends_.at(member);
        if (end.kind != End::node) continue;
        const Node& node = cluster_.nodes[static_cast<std::size_t>(end.index)];
        ++nodes, devices += device_count(node);
        add_shares(rack.shares, cluster_, node.devices);
      }
      const QPointF corner = around.topLeft() - QPointF(RackRoom::side, RackRoom::top);
      rack.rect = rack.collapsed ? QRectF(corner, rack_size())
                                 : around.adjusted(-RackRoom::side, -RackRoom::top, RackRoom::side, RackRoom::bottom);
      rack.header = QRectF(corner, QSizeF(rack.rect.width(), header_height));
      rack.toggle = QRectF(corner + QPointF(6, 5), QSizeF(20, 20));
      rack.detail = QStringLiteral("%1 · %2").arg(
          nodes == 1 ? GeometryText::tr("1 node") : GeometryText::tr("%1 nodes").arg(nodes),
          devices == 1 ? GeometryText::tr("1 device") : GeometryText::tr("%1 devices").arg(devices));
    }
    count_uplinks();
  }

  void count_uplinks() {
    std::vector<int> count(out_.racks.size());
    std::vector<double> rate(out_.racks.size());
    for (const NetworkLink& link : cluster_.links) {
      const int a = rack_of(link.from), b = rack_of(link.to);
      if (a == b) continue;
      for (const int rack : {a, b})
        if (rack >= 0)
          ++count[static_cast<std::size_t>(rack)], rate[static_cast<std::size_t>(rack)] += link.link.bandwidth.count;
    }
    for (std::size_t r = 0; r < count.size(); ++r)
      out_.racks[r].uplinks =
          count[r] == 0 ? GeometryText::tr("no uplink")
          : count[r] == 1
              ? GeometryText::tr("1 uplink · %1").arg(network_text(BytesPerSecond(rate[r])))
              : GeometryText::tr("%1 uplinks · %2").arg(count[r]).arg(network_text(BytesPerSecond(rate[r])));
  }

  /// Returns the visible end of a link: its box, or the collapsed rack that hides it.
  std::optional<End> drawn_end(const std::string& name) const {
    if (hidden(name)) return End{End::rack, rack_of(name)};
    const auto end = ends_.find(name);
    return end == ends_.end() ? std::nullopt : std::optional(end->second);
  }

  /// Merges links with equal visible ends into one line if at least one end is a collapsed rack.
  void place_links() {
    std::map<std::pair<End, End>, std::size_t> bundles;
    for (std::size_t i = 0; i < cluster_.links.size(); ++i) {
      const auto a = drawn_end(cluster_.links[i].from), b = drawn_end(cluster_.links[i].to);
      if (!a || !b || *a == *b) continue;
      const auto key = std::minmax(*a, *b);
      const bool bundled = a->kind == End::rack || b->kind == End::rack;
      if (const auto known = bundles.find(key); bundled && known != bundles.end()) {
        out_.links[known->second].links.push_back(static_cast<int>(i));
        continue;
      }
      if (bundled) bundles[key] = out_.links.size();
      out_.links.push_back(link_between(*a, *b, static_cast<int>(i)));
    }
    for (TopologyLink& link : out_.links) link.text = bundle_text(link.links);
  }

  TopologyLink link_between(End a, End b, int index) const {
    const Curve curve = curve_between(out_.ports_of(a), out_.ports_of(b));
    TopologyLink link;
    link.from = curve.from;
    link.to = curve.to;
    link.arc = curve.arc;
    link.link = index;
    link.links = {index};
    link.from_end = curve.swapped ? b : a;
    link.to_end = curve.swapped ? a : b;
    link.label = point_on(link, link.arc ? 0.5 : 0.68);
    return link;
  }

  QString bundle_text(const std::vector<int>& links) const {
    const BytesPerSecond first = cluster_.links[static_cast<std::size_t>(links.front())].link.bandwidth;
    if (links.size() == 1) return network_text(first);
    double sum = 0;
    bool equal = true;
    for (const int i : links) {
      const BytesPerSecond rate = cluster_.links[static_cast<std::size_t>(i)].link.bandwidth;
      sum += rate.count;
      equal = equal && rate == first;
    }
    const auto count = static_cast<int>(links.size());
    return equal ? GeometryText::tr("%1 × %2").arg(count).arg(network_text(first))
                 : GeometryText::tr("%1 links, %2").arg(count).arg(network_text(BytesPerSecond(sum)));
  }

  void measure() {
    QRectF all;
    const auto take = [&](const QRectF& rect) { all = all.isNull() ? rect : all.united(rect); };
    for (const TopologyNode& node : out_.nodes)
      if (!node.hidden) take(node.rect);
    for (const TopologySwitch& s : out_.switches)
      if (!s.hidden) take(s.rect);
    for (const Rack& rack : out_.racks) take(rack.rect);
    for (const TopologyLink& link : out_.links)
      if (link.arc) take(QRectF(link.label - QPointF(40, 14), QSizeF(80, 28)));
    const double room = 2 * topology_grid;
    out_.bounds = all.adjusted(-room, -room, room, room);
  }

  const Cluster& cluster_;
  const ClusterLayout& layout_;
  Layout out_;
  std::map<std::string, End> ends_;
  std::map<std::string, int> rack_of_, ports_;
};

}  // namespace

QSizeF topology_size(const Node& node) {
  const int count = device_count(node), columns = columns_of(count);
  if (columns == 0) return {20 * topology_grid, header_height + 2 * padding + 2 * device_height};
  const int rows = std::max(1, (count + columns - 1) / columns);
  const double chips = columns * device_width + (columns - 1) * device_gap;
  return {std::max(min_node_width, 2 * padding + chips),
          header_height + 2 * padding + rows * device_height + (rows - 1) * device_gap};
}

QSizeF switch_size() { return {11 * topology_grid, 46}; }

QSizeF rack_size() { return {18 * topology_grid, 9 * topology_grid}; }

Layout topology_layout(const Cluster& cluster, const ClusterLayout& layout) { return Builder(cluster, layout).build(); }

Selection toggled(Selection selection, const Selection& with) {
  const bool all_in =
      std::ranges::includes(selection.places, with.places) && std::ranges::includes(selection.links, with.links);
  for (const std::string& place : with.places)
    all_in ? (void)selection.places.erase(place) : (void)selection.places.insert(place);
  for (const int link : with.links) all_in ? (void)selection.links.erase(link) : (void)selection.links.insert(link);
  return selection;
}

Selection united(Selection a, const Selection& b) {
  a.places.insert(b.places.begin(), b.places.end());
  a.links.insert(b.links.begin(), b.links.end());
  return a;
}

}  // namespace pipedeck::models::topology
