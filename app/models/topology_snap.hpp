// SPDX-License-Identifier: GPL-3.0-or-later
// Where boxes that are moved come to rest: in line with others, else on the grid; and boxes put in line on request.
#pragma once

#include <optional>

#include "app/models/topology_geometry.hpp"

namespace pipedeck::app {

/// A line along which what is moved stands in line with something else.
struct TopologyGuide {
  QPointF from, to;
  bool operator==(const TopologyGuide&) const = default;
};

struct TopologySnap {
  QPointF offset;  ///< of what is moved, instead of the pointer's own
  std::vector<TopologyGuide> guides;
};

/// `moved` is the box around all that is moved, before the move; `others` the boxes that stay. Edges and middles that
/// come within `reach` of another's are put in line; where none does, the corner goes to the grid.
TopologySnap snapped(const QRectF& moved, QPointF offset, const std::vector<QRectF>& others, double reach);

double on_grid(double value);

enum class Alignment { left, middle, right, top, centre, bottom, spread_across, spread_down };

/// Places of the boxes put in line with the one that lies furthest on that side; spread: with equal gaps between the
/// outer two.
TopologyPlaces aligned(const std::map<std::string, QRectF>& boxes, Alignment alignment);

}  // namespace pipedeck::app
