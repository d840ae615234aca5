// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/topology/geometry.hpp"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>

#include "app/models/topology/arrange.hpp"
#include "app/models/topology/room.hpp"
#include "app/models/topology/routes.hpp"

namespace pipedeck::models::topology {

namespace {

struct GeometryText {
  Q_DECLARE_TR_FUNCTIONS(Topology)
};

constexpr double device_width = 52;
constexpr double device_height = 30;
constexpr double device_gap = 6;
constexpr double padding = 13;        ///< four devices and it are a multiple of two grid steps
constexpr double header_height = 48;  ///< two lines of text
constexpr double square = 12, square_gap = 5, compact_header = 22;  ///< of a compact node
constexpr int squares_per_row = 8, max_squares = 32;
constexpr double min_node_width = 12 * topology_grid;
constexpr int max_chips = 128;                        ///< maximum devices of a node that are drawn individually
constexpr double label_letter = 12, label_ends = 26;  ///< widths in a label, with letters enlarged for a small zoom

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
  Builder(const Cluster& cluster, const ClusterLayout& layout, std::vector<AlikeNodes> groups)
      : cluster_(cluster), layout_(layout), groups_(std::move(groups)) {
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i)
      ends_[cluster.nodes[i].name] = {End::node, static_cast<int>(i)};
    for (std::size_t i = 0; i < cluster.switches.size(); ++i)
      ends_[cluster.switches[i].name] = {End::network_switch, static_cast<int>(i)};
    for (const NetworkLink& link : cluster_.links) ++ports_[link.from], ++ports_[link.to];
  }

  Layout build() {
    list_racks();
    list_groups();
    place_boxes(completed(cluster_, layout_, groups_));
    if (!layout_.places.empty())
      for (std::size_t r = 0; r < out_.racks.size(); ++r)
        if (out_.racks[r].alike && !out_.racks[r].collapsed) place_boxes(with_room_for(out_, r));
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

  void list_groups() {
    first_group_ = out_.racks.size();
    for (const AlikeNodes& group : groups_) {
      Rack placed;
      placed.name = alike_title(cluster_, group);
      placed.lines = alike_lines(cluster_, group);
      placed.alike = true;
      placed.collapsed = !group.open;
      for (const std::size_t n : group.nodes) {
        placed.members.push_back(cluster_.nodes[n].name);
        rack_of_[cluster_.nodes[n].name] = static_cast<int>(out_.racks.size());
      }
      out_.racks.push_back(std::move(placed));
    }
  }

  void place_boxes(Places places) {
    out_.places = std::move(places);
    out_.nodes.clear();
    out_.switches.clear();
    place_nodes();
    place_switches();
    for (std::size_t r = 0; r < out_.racks.size(); ++r) r < first_group_ ? frame_rack(out_.racks[r]) : frame_group(r);
    count_uplinks();
    for (const auto& [name, end] : ends_)
      if (const auto shown = drawn_end(name, false)) out_.by_name[name] = *shown;
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
    placed.rack = rack_of(node.name);
    placed.hidden = hidden(node.name);
    placed.compact = placed.rack >= 0 && out_.racks[static_cast<std::size_t>(placed.rack)].alike;
    placed.rect = QRectF(corner, placed.compact ? compact_size(node) : topology_size(node));
    placed.header = QRectF(corner, QSizeF(placed.rect.width(), placed.compact ? compact_header : header_height));
    placed.port = QPointF(placed.rect.center().x(), placed.rect.top());
    placed.name = QString::fromStdString(node.name);
    if (placed.hidden) return placed;
    placed.details = node_details(node);
    add_shares(placed.shares, cluster_, node.devices);
    place_devices(placed, node, first);
    return placed;
  }

  void place_devices(TopologyNode& placed, const Node& node, int first) const {
    const int count = device_count(node);
    const bool small = placed.compact;
    const int columns = small ? (count > max_squares ? 0 : squares_per_row) : columns_of(count);
    const QSizeF size = small ? QSizeF(square, square) : QSizeF(device_width, device_height);
    const double step = small ? square_gap : device_gap, top = small ? 0 : padding;
    int slot = 0;
    for (const DeviceGroup& group : node.devices) {
      const int type = share_of(cluster_, group.type, 1).type_index;
      for (int i = 0; columns > 0 && i < group.count; ++i, ++slot) {
        const int column = slot % columns, row = slot / columns;
        const QPointF at(placed.rect.left() + padding + column * (size.width() + step),
                         placed.header.bottom() + top + row * (size.height() + step));
        placed.devices.push_back({QRectF(at, size), QStringLiteral("G%1").arg(first + slot),
                                  QString::fromStdString(group.type), first + slot, type});
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

  void frame_rack(Rack& rack) {
    QRectF around;
    int nodes = 0, devices = 0;
    rack.shares.clear();
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
    rack.detail = QStringLiteral("%1 · %2").arg(
        nodes == 1 ? GeometryText::tr("1 node") : GeometryText::tr("%1 nodes").arg(nodes),
        devices == 1 ? GeometryText::tr("1 device") : GeometryText::tr("%1 devices").arg(devices));
    place_header(rack);
  }

  void frame_group(std::size_t r) {
    Rack& rack = out_.racks[r];
    const AlikeNodes& group = groups_[r - first_group_];
    const Node& node = cluster_.nodes[group.nodes.front()];
    const QPointF corner = corner_of(node.name) - group.corner(cluster_, 0);
    rack.rect = QRectF(corner, group.size(cluster_));
    rack.shares.clear();
    for (const DeviceGroup& devices : node.devices)
      add_shares(rack.shares, cluster_, {{devices.type, devices.count * static_cast<int>(group.nodes.size())}});
    rack.detail = rack.lines.mid(1).join(QStringLiteral(" · "));
    place_header(rack);
  }

  static void place_header(Rack& rack) {
    rack.header = QRectF(rack.rect.topLeft(), QSizeF(rack.rect.width(), RackRoom::header));
    rack.toggle = QRectF(rack.rect.topLeft() + QPointF(6, 5), QSizeF(20, 20));
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
    for (std::size_t r = 0; r < first_group_; ++r) {
      QStringList shares;
      for (const Share& share : out_.racks[r].shares) shares << share.text;
      out_.racks[r].lines = {out_.racks[r].detail, shares.join(QStringLiteral(", ")), out_.racks[r].uplinks};
    }
  }

  /// Returns the visible end of a node or switch: its box, or the collapsed rack that hides it. For links that is also
  /// the open group of alike nodes.
  std::optional<End> drawn_end(const std::string& name, bool of_link) const {
    const int rack = rack_of(name);
    if (hidden(name) || (of_link && rack >= static_cast<int>(first_group_))) return End{End::rack, rack};
    const auto end = ends_.find(name);
    return end == ends_.end() ? std::nullopt : std::optional(end->second);
  }

  /// Merges links with equal visible ends into one line if at least one end is a rack.
  void place_links() {
    std::map<std::pair<End, End>, std::size_t> bundles;
    for (std::size_t i = 0; i < cluster_.links.size(); ++i) {
      const auto a = drawn_end(cluster_.links[i].from, true), b = drawn_end(cluster_.links[i].to, true);
      if (!a || !b || *a == *b) continue;
      const auto key = std::minmax(*a, *b);
      const bool bundled = a->kind == End::rack || b->kind == End::rack;
      if (const auto known = bundles.find(key); bundled && known != bundles.end()) {
        out_.links[known->second].links.push_back(static_cast<int>(i));
        continue;
      }
      if (bundled) bundles[key] = out_.links.size();
      const bool swapped = curve_between(out_.ports_of(*a), out_.ports_of(*b)).swapped;
      out_.links.push_back(
          {{}, {}, {}, static_cast<int>(i), {static_cast<int>(i)}, swapped ? *b : *a, swapped ? *a : *b});
    }
    for (TopologyLink& link : out_.links) link.text = bundle_text(link.links);
    route_links();
  }

  void route_links() {
    const std::vector<End> ends = out_.solids();
    std::map<End, std::size_t> position;
    std::vector<QRectF> boxes;
    for (const End& end : ends) position[end] = boxes.size(), boxes.push_back(out_.rect_of(end));
    Router router(boxes, headers());
    for (const Rack& rack : out_.racks)
      if (!rack.collapsed && !rack.alike) router.add_frame(rack.rect);
    place_labels(router, boxes, position);
    std::vector<Connection> connections;
    for (const TopologyLink& link : out_.links) {
      const bool arc = curve_between(out_.ports_of(link.from_end), out_.ports_of(link.to_end)).arc;
      connections.push_back({position.at(link.from_end), position.at(link.to_end), !arc, false});
    }
    std::vector<Path> paths = router.routes(connections);
    for (std::size_t i = 0; i < paths.size(); ++i) out_.links[i].path = std::move(paths[i]);
    place_other_labels(boxes);
  }

  /// Returns the texts of open racks, which lines avoid.
  std::vector<QRectF> headers() const {
    constexpr double letter = 8, arrow = 48;
    std::vector<QRectF> all;
    for (const Rack& rack : out_.racks) {
      if (rack.collapsed || rack.alike) continue;
      const double width = arrow + letter * static_cast<double>(rack.name.size() + rack.detail.size());
      all.emplace_back(rack.header.topLeft() + QPointF(0, 2),
                       QSizeF(std::min(width, rack.header.width()), rack.header.height() - 4));
    }
    return all;
  }

  QSizeF label_size(const QString& text) const {
    return {label_ends + label_letter * static_cast<double>(text.size()), Router::label_room};
  }

  /// Places a label above each box at which links end. Links with one end share it.
  void place_labels(Router& router, const std::vector<QRectF>& boxes, const std::map<End, std::size_t>& position) {
    std::map<End, TopologyLabel> labels;
    for (std::size_t i = 0; i < out_.links.size(); ++i) labels[out_.links[i].to_end].links.push_back(i);
    for (auto& [end, label] : labels) {
      const std::size_t box = position.at(end);
      std::vector<int> all;
      for (const std::size_t i : label.links)
        all.insert(all.end(), out_.links[i].links.begin(), out_.links[i].links.end());
      label.text = bundle_text(all);
      if (!router.has_label_room(box)) continue;
      const QSizeF size = label_size(label.text);
      const double width = std::min(size.width(), boxes[box].width());
      label.room = QRectF(boxes[box].center().x() - width / 2, boxes[box].top() - size.height(), width, size.height());
      router.add_label(label.room);
      for (const std::size_t i : label.links) out_.links[i].label = label.room.center();
      out_.labels.push_back(label);
    }
  }

  /// Places the labels of links that end at a box without room above it: somewhere along the line.
  void place_other_labels(const std::vector<QRectF>& boxes) {
    std::vector<QRectF> taken = boxes;
    std::vector<bool> labelled(out_.links.size());
    for (const TopologyLabel& label : out_.labels) {
      taken.push_back(label.room);
      for (const std::size_t i : label.links) labelled[i] = true;
    }
    for (std::size_t i = 0; i < out_.links.size(); ++i) {
      if (labelled[i]) continue;
      TopologyLink& link = out_.links[i];
      link.label = link.path.empty() ? (out_.rect_of(link.from_end).center() + out_.rect_of(link.to_end).center()) / 2
                                     : point_on(link, 0.5);
      QRectF room(QPointF(), label_size(link.text));
      for (const double t : {0.5, 0.7, 0.3, 0.85, 0.15}) {
        room.moveCenter(point_on(link, t));
        if (link.path.empty() || std::ranges::any_of(taken, [&](const QRectF& r) { return r.intersects(room); }))
          continue;
        link.label = room.center();
        out_.labels.push_back({room, link.text, {i}});
        taken.push_back(room);
        break;
      }
    }
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
      for (const QPointF& point : link.path) take(QRectF(point - QPointF(2, 2), QSizeF(4, 4)));
    for (const TopologyLabel& label : out_.labels) take(label.room);
    const double room = 2 * topology_grid;
    out_.bounds = all.adjusted(-room, -room, room, room);
  }

  const Cluster& cluster_;
  const ClusterLayout& layout_;
  std::vector<AlikeNodes> groups_;
  std::size_t first_group_ = 0;  ///< position of the first group in Layout::racks
  Layout out_;
  std::map<std::string, End> ends_;
  std::map<std::string, int> rack_of_, ports_;
};

}  // namespace

QSizeF topology_size(const Node& node) {
  const int count = device_count(node), columns = columns_of(count);
  if (columns == 0) return {20 * topology_grid, header_height + 2 * padding + 2 * 24};
  const int rows = std::max(1, (count + columns - 1) / columns);
  const double chips = columns * device_width + (columns - 1) * device_gap;
  return {std::max(min_node_width, 2 * padding + chips),
          header_height + 2 * padding + rows * device_height + (rows - 1) * device_gap};
}

QSizeF compact_size(const Node& node) {
  const int count = device_count(node), rows = count > max_squares ? 1 : (count - 1) / squares_per_row + 1;
  return {min_node_width, compact_header + rows * square + (rows - 1) * square_gap + 8};
}

QSizeF switch_size() { return {11 * topology_grid, 46}; }

QSizeF rack_size() { return {18 * topology_grid, 9 * topology_grid}; }

QSizeF alike_size() { return {22 * topology_grid, 8 * topology_grid}; }

Layout topology_layout(const Cluster& cluster, const ClusterLayout& layout, const std::set<std::string>& opened) {
  return Builder(cluster, layout, alike_nodes(cluster, layout, opened)).build();
}

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
