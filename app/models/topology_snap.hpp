// SPDX-License-Identifier: GPL-3.0-or-later
// Snapping of moved boxes: aligned with others, or else to the grid; and alignment on request.
#pragma once

#include <optional>

#include "app/models/topology_geometry.hpp"

namespace pipedeck::app {

/// A line on which a moved box is aligned with another one.
struct TopologyGuide {
  QPointF from, to;
  bool operator==(const TopologyGuide&) const = default;
};

struct TopologySnap {
  QPointF offset;  ///< of the moved boxes, instead of the pointer's offset
  std::vector<TopologyGuide> guides;
};

/// Snaps a move. `moved` is the bounding box before the move; `others` are the boxes that stay. Edges and centres
/// within `reach` of another box's are aligned; otherwise, the corner snaps to the grid.
TopologySnap snapped(const QRectF& moved, QPointF offset, const std::vector<QRectF>& others, double reach);

double on_grid(double value);

enum class Alignment { left, middle, right, top, centre, bottom, spread_across, spread_down };

/// Returns the places of the boxes aligned with the outermost one on that side. Spreading makes equal gaps between the
/// outer two.
TopologyPlaces aligned(const std::map<std::string, QRectF>& boxes, Alignment alignment);

}  // namespace pipedeck::app
