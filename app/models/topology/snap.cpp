// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/topology/snap.hpp"

#include <algorithm>
#include <cmath>

namespace pipedeck::models::topology {

namespace {

struct Axis {
  double near = 0, far = 0;              ///< edges of a box on the axis
  double cross_near = 0, cross_far = 0;  ///< edges on the other axis
  std::array<double, 3> lines() const { return {near, (near + far) / 2, far}; }
};

Axis across(const QRectF& rect) { return {rect.left(), rect.right(), rect.top(), rect.bottom()}; }
Axis down(const QRectF& rect) { return {rect.top(), rect.bottom(), rect.left(), rect.right()}; }

struct Line {
  double shift = 0;
  double at = 0;
  double cross_near = 0, cross_far = 0;
};

/// Returns the smallest shift that aligns an edge or the centre with another's: near with near, centre with centre.
std::optional<Line> nearest_line(const Axis& moved, const std::vector<Axis>& others, double reach) {
  std::optional<Line> best;
  const auto mine = moved.lines();
  for (const Axis& other : others) {
    const auto theirs = other.lines();
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const double shift = theirs[i] - mine[i];
      if (std::abs(shift) > reach || (best && std::abs(shift) >= std::abs(best->shift))) continue;
      best = Line{shift, theirs[i], std::min(moved.cross_near, other.cross_near),
                  std::max(moved.cross_far, other.cross_far)};
    }
  }
  return best;
}

}  // namespace

double on_grid(double value) { return std::round(value / topology_grid) * topology_grid; }

Snap snapped(const QRectF& moved, QPointF offset, const std::vector<QRectF>& others, double reach) {
  const QRectF there = moved.translated(offset);
  std::vector<Axis> columns, rows;
  for (const QRectF& other : others) columns.push_back(across(other)), rows.push_back(down(other));
  Snap snap{offset, {}};
  const auto x = nearest_line(across(there), columns, reach), y = nearest_line(down(there), rows, reach);
  snap.offset.rx() = x ? offset.x() + x->shift : on_grid(there.left()) - moved.left();
  snap.offset.ry() = y ? offset.y() + y->shift : on_grid(there.top()) - moved.top();
  if (x) snap.guides.push_back({QPointF(x->at, x->cross_near), QPointF(x->at, x->cross_far)});
  if (y) snap.guides.push_back({QPointF(y->cross_near, y->at), QPointF(y->cross_far, y->at)});
  return snap;
}

namespace {

bool is_across(Alignment a) {
  return a == Alignment::left || a == Alignment::middle || a == Alignment::right || a == Alignment::spread_across;
}

void spread(Places& places, const std::map<std::string, QRectF>& boxes, bool horizontally) {
  std::vector<std::pair<double, std::string>> order;
  double taken = 0, from = 1e300, to = -1e300;
  for (const auto& [name, box] : boxes) {
    const double near = horizontally ? box.left() : box.top(), size = horizontally ? box.width() : box.height();
    order.emplace_back(near, name);
    taken += size;
    from = std::min(from, near);
    to = std::max(to, near + size);
  }
  std::ranges::sort(order);
  const double gap = (to - from - taken) / std::max(1.0, static_cast<double>(boxes.size()) - 1);
  for (const auto& [near, name] : order) {
    (horizontally ? places[name].x : places[name].y) = std::round(from);
    from += gap + (horizontally ? boxes.at(name).width() : boxes.at(name).height());
  }
}

}  // namespace

Places aligned(const std::map<std::string, QRectF>& boxes, Alignment alignment) {
  Places places;
  QRectF all;
  for (const auto& [name, box] : boxes) {
    all = all.isNull() ? box : all.united(box);
    places[name] = {box.left(), box.top()};
  }
  if (alignment == Alignment::spread_across || alignment == Alignment::spread_down) {
    if (boxes.size() > 2) spread(places, boxes, is_across(alignment));
    return places;
  }
  for (const auto& [name, box] : boxes) {
    ClusterLayout::Place& place = places[name];
    if (alignment == Alignment::left) place.x = all.left();
    if (alignment == Alignment::middle) place.x = all.center().x() - box.width() / 2;
    if (alignment == Alignment::right) place.x = all.right() - box.width();
    if (alignment == Alignment::top) place.y = all.top();
    if (alignment == Alignment::centre) place.y = all.center().y() - box.height() / 2;
    if (alignment == Alignment::bottom) place.y = all.bottom() - box.height();
  }
  return places;
}

}  // namespace pipedeck::models::topology
