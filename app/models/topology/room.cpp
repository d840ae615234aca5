// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/topology/room.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>

namespace pipedeck::models::topology {

namespace {

/// A unit that moves as a whole: a rack with its members, or a box outside racks.
struct Unit {
  QRectF rect;
  std::vector<std::string> members;
  QPointF push;  ///< direction of its first push; null if not pushed
};

QPointF snap_to_grid(QPointF move) {
  const auto up = [](double value) {
    return value < 0 ? std::floor(value / topology_grid) * topology_grid
                     : std::ceil(value / topology_grid) * topology_grid;
  };
  return {up(move.x()), up(move.y())};
}

/// Returns the shift in `direction` after which `box` touches `from` without overlap.
QPointF away(const QRectF& box, const QRectF& from, const QPointF& direction) {
  if (direction.x() > 0) return {from.right() - box.left(), 0};
  if (direction.x() < 0) return {from.left() - box.right(), 0};
  if (direction.y() > 0) return {0, from.bottom() - box.top()};
  return {0, from.top() - box.bottom()};
}

QPointF shortest_way(const QRectF& box, const QRectF& from) {
  const std::array<QPointF, 4> directions{QPointF(1, 0), QPointF(0, 1), QPointF(-1, 0), QPointF(0, -1)};
  return *std::ranges::min_element(
      directions, {}, [&](const QPointF& direction) { return away(box, from, direction).manhattanLength(); });
}

std::vector<Unit> units_of(const Layout& layout) {
  std::vector<Unit> units;
  for (const Rack& rack : layout.racks) units.push_back({rack.rect, rack.members, {}});
  for (const TopologyNode& node : layout.nodes)
    if (node.rack < 0) units.push_back({node.rect, {node.name.toStdString()}, {}});
  for (const TopologySwitch& s : layout.switches)
    if (s.rack < 0) units.push_back({s.rect, {s.name.toStdString()}, {}});
  return units;
}

}  // namespace

Places with_room_for(const Layout& layout, const std::string& rack) {
  for (std::size_t r = 0; r < layout.racks.size(); ++r)
    if (!layout.racks[r].alike && layout.racks[r].name == QString::fromStdString(rack)) return with_room_for(layout, r);
  return layout.places;
}

Places with_room_for(const Layout& layout, std::size_t fixed) {
  Places places = layout.places;
  std::vector<Unit> units = units_of(layout);
  std::deque<std::size_t> pushing{fixed};
  // Each is pushed in one direction only, so that boxes don't push each other back and forth.
  for (std::size_t steps = 0; !pushing.empty() && steps < units.size() * units.size(); ++steps) {
    const std::size_t at = pushing.front();
    pushing.pop_front();
    const QRectF room = units[at].rect.adjusted(-topology_grid, -topology_grid, topology_grid, topology_grid);
    for (std::size_t i = 0; i < units.size(); ++i) {
      Unit& unit = units[i];
      if (i == fixed || i == at || !unit.rect.intersects(room)) continue;
      if (at != fixed && !unit.rect.intersects(units[at].rect)) continue;  // close boxes may stay
      if (unit.push.isNull()) unit.push = at == fixed ? shortest_way(unit.rect, room) : units[at].push;
      const QPointF move = snap_to_grid(away(unit.rect, room, unit.push));
      unit.rect.translate(move);
      for (const std::string& member : unit.members) {
        places[member].x += move.x();
        places[member].y += move.y();
      }
      pushing.push_back(i);
    }
  }
  return places;
}

namespace {

/// Returns all boxes and racks.
std::vector<QRectF> taken_rooms(const Layout& layout) {
  std::vector<QRectF> taken;
  for (const Unit& unit : units_of(layout)) taken.push_back(unit.rect);
  return taken;
}

/// Returns the nearest free place on a square around `wanted`; none if all of the square is taken.
std::optional<QPointF> free_on_square(int reach, QPointF wanted, const std::function<bool(QPointF)>& is_free) {
  std::optional<QPointF> best;
  double least = 0;
  const auto look = [&](int x, int y) {
    const QPointF at = wanted + QPointF(x, y) * topology_grid;
    const double away = std::hypot(x, y);
    if ((best && away >= least) || !is_free(at)) return;
    best = at;
    least = away;
  };
  for (int step = -reach; step <= reach; ++step) {
    look(step, -reach);
    look(step, reach);
    look(-reach, step);
    look(reach, step);
  }
  return best;
}

}  // namespace

ClusterLayout::Place free_place(const Layout& layout, const QSizeF& size, const ClusterLayout::Place& wanted) {
  constexpr double close = topology_grid;                                 // the least distance of a chosen place
  constexpr double aside = 2 * topology_grid, above = 4 * topology_grid;  // of a found one: room for links
  constexpr int farthest = 600;
  const std::vector<QRectF> taken = taken_rooms(layout);
  const auto free_with = [&](double x, double y) {
    return [&, x, y](QPointF at) {
      const QRectF room = QRectF(at, size).adjusted(-x, -y, x, y);
      return std::ranges::none_of(taken, [&](const QRectF& box) { return box.intersects(room); });
    };
  };
  const QPointF start(wanted.x, wanted.y);
  if (free_with(close, close)(start)) return wanted;
  for (int reach = 1; reach < farthest; ++reach)
    if (const auto found = free_on_square(reach, start, free_with(aside, above))) return {found->x(), found->y()};
  return wanted;
}

}  // namespace pipedeck::models::topology
