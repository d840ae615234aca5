// SPDX-License-Identifier: GPL-3.0-or-later
// Hit tests at a point or in a rectangle, and points of links.
#include <algorithm>
#include <cmath>

#include "app/models/topology/geometry.hpp"

namespace pipedeck::models::topology {

namespace {

double distance_to(const TopologyLink& link, QPointF point) {
  double best = 1e9;
  for (std::size_t i = 1; i < link.path.size(); ++i) {
    const QRectF part = QRectF(link.path[i - 1], link.path[i]).normalized();
    const double x = std::max({part.left() - point.x(), 0.0, point.x() - part.right()});
    const double y = std::max({part.top() - point.y(), 0.0, point.y() - part.bottom()});
    best = std::min(best, std::hypot(x, y));
  }
  return best;
}

}  // namespace

Curve curve_between(const std::array<QPointF, 2>& a, const std::array<QPointF, 2>& b) {
  if (a[1].y() <= b[0].y()) return {a[1], b[0], false, false};
  if (b[1].y() <= a[0].y()) return {b[1], a[0], false, true};
  return {a[0], b[0], true, false};
}

QPointF point_on(const TopologyLink& link, double t) {
  if (link.path.empty()) return link.label;
  double length = 0;
  for (std::size_t i = 1; i < link.path.size(); ++i) length += (link.path[i] - link.path[i - 1]).manhattanLength();
  double left = std::clamp(t, 0.0, 1.0) * length;
  for (std::size_t i = 1; i < link.path.size(); ++i) {
    const QPointF step = link.path[i] - link.path[i - 1];
    const double part = step.manhattanLength();
    if (part > 0 && left <= part) return link.path[i - 1] + step * (left / part);
    left -= part;
  }
  return link.path.back();
}

std::optional<Hit> Layout::hit(QPointF point, double reach) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].hidden || !nodes[i].rect.contains(point)) continue;
    for (const TopologyDevice& device : nodes[i].devices)
      if (device.rect.contains(point)) return Hit{Hit::device, device.device};
    return Hit{Hit::node, static_cast<int>(i)};
  }
  for (std::size_t i = 0; i < switches.size(); ++i)
    if (!switches[i].hidden && switches[i].rect.contains(point)) return Hit{Hit::network_switch, static_cast<int>(i)};
  for (std::size_t i = 0; i < racks.size(); ++i)
    if (racks[i].collapsed && racks[i].rect.contains(point)) return Hit{Hit::rack, static_cast<int>(i)};
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i].room.contains(point))
      return labels[i].links.size() > 1 ? Hit{Hit::label, static_cast<int>(i)}
                                        : Hit{Hit::link, links[labels[i].links.front()].link};
  std::optional<Hit> nearest;
  for (const TopologyLink& link : links) {
    const double distance = distance_to(link, point);
    if (distance < reach) reach = distance, nearest = Hit{Hit::link, link.link};
  }
  if (nearest) return nearest;
  for (std::size_t i = 0; i < racks.size(); ++i)
    if (racks[i].header.contains(point)) return Hit{Hit::rack, static_cast<int>(i)};
  return std::nullopt;
}

std::optional<int> Layout::toggle_at(QPointF point) const {
  for (std::size_t i = 0; i < racks.size(); ++i)
    if (racks[i].toggle.contains(point)) return static_cast<int>(i);
  return std::nullopt;
}

QRectF Layout::rect_of(const End& end) const {
  const auto i = static_cast<std::size_t>(end.index);
  switch (end.kind) {
    case End::node:
      return nodes[i].rect;
    case End::network_switch:
      return switches[i].rect;
    case End::rack:
      break;
  }
  return racks[i].rect;
}

QString Layout::name_of(const End& end) const {
  const auto i = static_cast<std::size_t>(end.index);
  switch (end.kind) {
    case End::node:
      return nodes[i].name;
    case End::network_switch:
      return switches[i].name;
    case End::rack:
      break;
  }
  return racks[i].name;
}

std::array<QPointF, 2> Layout::ports_of(const End& end) const {
  const QRectF rect = rect_of(end);
  return {QPointF(rect.center().x(), rect.top()), QPointF(rect.center().x(), rect.bottom())};
}

std::vector<End> Layout::ends() const {
  std::vector<End> result;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!nodes[i].hidden) result.push_back({End::node, static_cast<int>(i)});
  for (std::size_t i = 0; i < switches.size(); ++i)
    if (!switches[i].hidden) result.push_back({End::network_switch, static_cast<int>(i)});
  for (std::size_t i = 0; i < racks.size(); ++i)
    if (racks[i].collapsed) result.push_back({End::rack, static_cast<int>(i)});
  return result;
}

std::vector<End> Layout::solids() const {
  std::vector<End> result;
  for (const End& end : ends())
    if (end.kind != End::node || !nodes[static_cast<std::size_t>(end.index)].compact) result.push_back(end);
  for (std::size_t i = 0; i < racks.size(); ++i)
    if (racks[i].alike && !racks[i].collapsed) result.push_back({End::rack, static_cast<int>(i)});
  return result;
}

std::optional<End> Layout::find_end(const std::string& name) const {
  const auto end = by_name.find(name);
  return end == by_name.end() ? std::nullopt : std::optional(end->second);
}

std::optional<End> Layout::box_at(QPointF point) const {
  for (const End& end : ends())
    if (rect_of(end).contains(point)) return end;
  return std::nullopt;
}

std::optional<End> Layout::port_at(QPointF point, double reach) const {
  std::optional<End> nearest;
  for (const End& end : ends())
    for (const QPointF port : ports_of(end)) {
      const QPointF away = port - point;
      const double distance = std::hypot(away.x(), away.y());
      if (distance <= reach) reach = distance, nearest = end;
    }
  return nearest;
}

Selection pruned(const Selection& selection, const Cluster& cluster) {
  Selection kept;
  const auto keep = [&](const std::string& name) {
    if (selection.places.contains(name)) kept.places.insert(name);
  };
  for (const Node& node : cluster.nodes) keep(node.name);
  for (const Switch& s : cluster.switches) keep(s.name);
  for (const int link : selection.links)
    if (link >= 0 && link < static_cast<int>(cluster.links.size())) kept.links.insert(link);
  return kept;
}

Selection remap_selection(const Selection& selection, const Cluster& before, const Cluster& now) {
  Selection kept = pruned({selection.places, {}}, now);
  std::set<std::pair<std::string, std::string>> ends;
  for (const int link : pruned(selection, before).links) {
    const NetworkLink& chosen = before.links[static_cast<std::size_t>(link)];
    ends.emplace(chosen.from, chosen.to);
  }
  for (std::size_t i = 0; !ends.empty() && i < now.links.size(); ++i)
    if (ends.contains({now.links[i].from, now.links[i].to})) kept.links.insert(static_cast<int>(i));
  return kept;
}

Selection in_rectangle(const Layout& layout, const QRectF& rectangle) {
  Selection found;
  for (const End& end : layout.ends()) {
    if (!layout.rect_of(end).intersects(rectangle)) continue;
    if (end.kind == End::rack) {
      const auto& members = layout.racks[static_cast<std::size_t>(end.index)].members;
      found.places.insert(members.begin(), members.end());
    } else {
      found.places.insert(layout.name_of(end).toStdString());
    }
  }
  for (const TopologyLink& link : layout.links)
    if (rectangle.contains(link.label)) found.links.insert(link.links.begin(), link.links.end());
  return found;
}

std::vector<int> Layout::links_of(const TopologyLabel& label) const {
  std::vector<int> all;
  for (const std::size_t i : label.links) all.insert(all.end(), links[i].links.begin(), links[i].links.end());
  return all;
}

}  // namespace pipedeck::models::topology
