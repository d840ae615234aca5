// SPDX-License-Identifier: GPL-3.0-or-later
// Snapping of moved boxes: aligned with others, or else to the grid; and alignment on request.
#pragma once

#include <optional>

#include "app/models/topology/geometry.hpp"

namespace pipedeck::models::topology {

/// A line on which a moved box is aligned with another one.
struct Guide {
  QPointF from, to;
  bool operator==(const Guide&) const = default;
};

struct Snap {
  QPointF offset;  ///< of the moved boxes, instead of the pointer's offset
  std::vector<Guide> guides;
};

/// Snaps a move. `moved` is the bounding box before the move; `others` are the boxes that stay. Edges and centres
/// within `reach` of another box's are aligned; otherwise, the corner snaps to the grid.
Snap snapped(const QRectF& moved, QPointF offset, const std::vector<QRectF>& others, double reach);

double on_grid(double value);

enum class Alignment { left, middle, right, top, centre, bottom, spread_across, spread_down };

/// Returns the places of the boxes aligned with the outermost one on that side. Spreading makes equal gaps between the
/// outer two.
Places aligned(const std::map<std::string, QRectF>& boxes, Alignment alignment);

}  // namespace pipedeck::models::topology
