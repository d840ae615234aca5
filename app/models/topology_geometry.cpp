// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/topology_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <QCoreApplication>

namespace pipedeck::app {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::Topology)
};

constexpr double margin = 28;
constexpr double device_width = 58;
constexpr double device_height = 42;
constexpr double device_gap = 6;
constexpr int devices_a_row = 4;
constexpr double padding = 14;
constexpr double header_height = 30;
constexpr double node_gap = 28;
constexpr double row_gap = 96;  ///< room for links and their labels
constexpr double switch_height = 46;
constexpr double least_node_width = 2 * padding + devices_a_row * device_width + (devices_a_row - 1) * device_gap;
constexpr double switch_width = 150;

int device_count(const Node& node) {
  int count = 0;
  for (const DeviceGroup& group : node.devices) count += group.count;
  return count;
}

double node_height(const Node& node) {
  const int rows = std::max(1, (device_count(node) + devices_a_row - 1) / devices_a_row);
  return header_height + 2 * padding + rows * device_height + (rows - 1) * device_gap;
}

/// How many hops a switch is from the nearest node: leaf switches 0, spines above.
std::vector<int> switch_levels(const Cluster& cluster, const std::map<std::string, int>& switches) {
  std::vector<int> level(cluster.switches.size(), -1);
  for (bool changed = true; changed;) {
    changed = false;
    for (const NetworkLink& link : cluster.links) {
      const auto a = switches.find(link.from), b = switches.find(link.to);
      const auto lower = [&](auto at, auto other) {
        if (at == switches.end()) return;
        const int beyond = other == switches.end() ? -1 : level[static_cast<std::size_t>(other->second)];
        if (other != switches.end() && beyond < 0) return;
        int& mine = level[static_cast<std::size_t>(at->second)];
        if (mine < 0 || mine > beyond + 1) mine = beyond + 1, changed = true;
      };
      lower(a, b);
      lower(b, a);
    }
  }
  for (int& l : level) l = std::max(l, 0);
  return level;
}

class Builder {
 public:
  Builder(const Cluster& cluster, double width) : cluster_(cluster), width_(std::max(width, least_width())) {
    for (std::size_t i = 0; i < cluster.switches.size(); ++i) switches_[cluster.switches[i].name] = static_cast<int>(i);
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) nodes_[cluster.nodes[i].name] = static_cast<int>(i);
    levels_ = switch_levels(cluster, switches_);
  }

  TopologyLayout build() {
    const int rows_of_switches = cluster_.switches.empty() ? 0 : 1 + *std::max_element(levels_.begin(), levels_.end());
    place_nodes(margin + rows_of_switches * (switch_height + row_gap) + (has_arcs() ? 70 : 0));
    for (int level = 0; level < rows_of_switches; ++level)
      place_switches(level, margin + (rows_of_switches - 1 - level) * (switch_height + row_gap));
    place_links();
    return std::move(layout_);
  }

 private:
  static double least_width() { return least_node_width + 2 * margin; }

  bool has_arcs() const {
    return std::any_of(cluster_.links.begin(), cluster_.links.end(),
                       [&](const NetworkLink& l) { return nodes_.contains(l.from) && nodes_.contains(l.to); });
  }

  void place_nodes(double top) {
    const int fitting = std::max(1, static_cast<int>((width_ - 2 * margin + node_gap) / (least_node_width + node_gap)));
    const int count = static_cast<int>(cluster_.nodes.size());
    // Rows as even as they come: 5 nodes at 4 a row are 3 and 2.
    const int rows = std::max(1, (count + fitting - 1) / fitting);
    const int a_row = std::max(1, (count + rows - 1) / rows);
    const std::vector<Device> devices = devices_of(cluster_);
    double y = top;
    for (int begin = 0; begin < count; begin += a_row) {
      const int end = std::min(begin + a_row, count);
      const double total = (end - begin) * (least_node_width + node_gap) - node_gap;
      double tallest = 0;
      for (int i = begin; i < end; ++i) {
        const double x = (width_ - total) / 2 + (i - begin) * (least_node_width + node_gap);
        place_node(i, QPointF(x, y), devices);
        tallest = std::max(tallest, layout_.nodes.back().rect.height());
      }
      y += tallest + (end < count ? row_gap : 0);
    }
    layout_.size = QSizeF(width_, y + margin);
  }

  void place_node(int index, QPointF corner, const std::vector<Device>& devices) {
    const Node& node = cluster_.nodes[static_cast<std::size_t>(index)];
    TopologyNode placed;
    placed.rect = QRectF(corner, QSizeF(least_node_width, node_height(node)));
    placed.header = QRectF(corner, QSizeF(least_node_width, header_height));
    placed.port = QPointF(placed.rect.center().x(), placed.rect.top());
    placed.name = QString::fromStdString(node.name);
    if (node.link)
      placed.link = (node.bus ? Text::tr("bus %1") : QStringLiteral("%1")).arg(inside_text(node.link->bandwidth));
    for (std::size_t d = 0; d < devices.size(); ++d) {
      if (devices[d].node.value != index) continue;
      const int column = devices[d].slot % devices_a_row, row = devices[d].slot / devices_a_row;
      const QPointF at(corner.x() + padding + column * (device_width + device_gap),
                       corner.y() + header_height + padding + row * (device_height + device_gap));
      placed.devices.push_back(
          {QRectF(at, QSizeF(device_width, device_height)), QStringLiteral("G%1").arg(d),
           QString::fromStdString(cluster_.device_types[static_cast<std::size_t>(devices[d].type)].name),
           static_cast<int>(d), devices[d].type});
    }
    layout_.nodes.push_back(std::move(placed));
  }

  /// Wanted centre of a switch: the middle of what lies below and is joined to it.
  double wanted_x(int index) const {
    double sum = 0;
    int joined = 0;
    const std::string& name = cluster_.switches[static_cast<std::size_t>(index)].name;
    for (const NetworkLink& link : cluster_.links) {
      if (link.from != name && link.to != name) continue;
      const std::string& other = link.from == name ? link.to : link.from;
      if (const auto node = nodes_.find(other); node != nodes_.end()) {
        sum += layout_.nodes[static_cast<std::size_t>(node->second)].port.x(), ++joined;
      } else if (const auto s = placed_.find(other); s != placed_.end()) {
        sum += s->second.center().x(), ++joined;
      }
    }
    return joined > 0 ? sum / joined : width_ / 2;
  }

  void place_switches(int level, double top) {
    if (layout_.switches.empty()) layout_.switches.resize(cluster_.switches.size());
    std::vector<std::pair<double, int>> row;
    for (std::size_t i = 0; i < levels_.size(); ++i)
      if (levels_[i] == level) row.emplace_back(wanted_x(static_cast<int>(i)), static_cast<int>(i));
    std::sort(row.begin(), row.end());
    const double step = switch_width + node_gap;
    for (std::size_t i = 1; i < row.size(); ++i) row[i].first = std::max(row[i].first, row[i - 1].first + step);
    // Pushed apart to the right: moved back so that the row stays centred over what it wanted.
    const double excess = row.empty() ? 0 : std::max(0.0, row.back().first + switch_width / 2 + margin - width_);
    for (const auto& [x, index] : row) {
      const auto i = static_cast<std::size_t>(index);
      TopologySwitch& placed = layout_.switches[i];
      placed.rect = QRectF(x - excess - switch_width / 2, top, switch_width, switch_height);
      placed.port = QPointF(placed.rect.center().x(), placed.rect.bottom());
      placed.name = QString::fromStdString(cluster_.switches[i].name);
      const auto ports = std::count_if(cluster_.links.begin(), cluster_.links.end(), [&](const NetworkLink& l) {
        return l.from == cluster_.switches[i].name || l.to == cluster_.switches[i].name;
      });
      placed.detail = Text::tr("%1 ports · full duplex").arg(ports);
      placed_[cluster_.switches[i].name] = placed.rect;
    }
  }

  QPointF end_of(const std::string& name, bool above) const {
    if (const auto node = nodes_.find(name); node != nodes_.end())
      return layout_.nodes[static_cast<std::size_t>(node->second)].port;
    const QRectF rect = placed_.at(name);
    return QPointF(rect.center().x(), above ? rect.top() : rect.bottom());
  }

  void place_links() {
    for (std::size_t i = 0; i < cluster_.links.size(); ++i) {
      const NetworkLink& link = cluster_.links[i];
      TopologyLink placed;
      placed.from = end_of(link.from, false);
      placed.to = end_of(link.to, false);
      placed.arc = nodes_.contains(link.from) && nodes_.contains(link.to);
      if (!placed.arc && placed.from.y() > placed.to.y()) std::swap(placed.from, placed.to);
      if (!placed.arc && !nodes_.contains(link.from) && !nodes_.contains(link.to)) {
        const bool from_below = placed_.at(link.from).top() > placed_.at(link.to).top();
        placed.to = end_of(from_below ? link.from : link.to, true);
      }
      placed.text = network_text(link.link.bandwidth);
      placed.link = static_cast<int>(i);
      placed.label = point_on(placed, placed.arc ? 0.5 : 0.68);
      layout_.links.push_back(std::move(placed));
    }
  }

  const Cluster& cluster_;
  double width_;
  std::map<std::string, int> switches_, nodes_;
  std::map<std::string, QRectF> placed_;
  std::vector<int> levels_;
  TopologyLayout layout_;
};

double distance_to(const TopologyLink& link, QPointF point) {
  double best = 1e9;
  for (int step = 0; step <= 32; ++step) {
    const QPointF away = point_on(link, step / 32.0) - point;
    best = std::min(best, std::hypot(away.x(), away.y()));
  }
  return best;
}

}  // namespace

QPointF point_on(const TopologyLink& link, double t) {
  const QPointF a = link.from, d = link.to;
  QPointF b, c;
  if (link.arc) {
    const double lift = std::min(90.0, 40 + std::abs(d.x() - a.x()) / 12);
    b = a - QPointF(0, lift), c = d - QPointF(0, lift);
  } else {
    const double middle = (a.y() + d.y()) / 2;
    b = QPointF(a.x(), middle), c = QPointF(d.x(), middle);
  }
  const double u = 1 - t;
  return u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
}

TopologyLayout topology_layout(const Cluster& cluster, double width) { return Builder(cluster, width).build(); }

std::optional<TopologyHit> TopologyLayout::hit(QPointF point) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].rect.contains(point)) continue;
    for (const TopologyDevice& device : nodes[i].devices)
      if (device.rect.contains(point)) return TopologyHit{TopologyHit::device, device.device};
    return TopologyHit{TopologyHit::node, static_cast<int>(i)};
  }
  for (std::size_t i = 0; i < switches.size(); ++i)
    if (switches[i].rect.contains(point)) return TopologyHit{TopologyHit::network_switch, static_cast<int>(i)};
  std::optional<TopologyHit> nearest;
  double reach = 8;
  for (const TopologyLink& link : links) {
    const double distance = std::min(distance_to(link, point), (point - link.label).manhattanLength() - 24);
    if (distance < reach) reach = distance, nearest = TopologyHit{TopologyHit::link, link.link};
  }
  return nearest;
}

}  // namespace pipedeck::app
