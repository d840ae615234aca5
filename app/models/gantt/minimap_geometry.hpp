// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of the visible window in an overview of the whole time: its position, hit tests, and the result of a drag.
#pragma once

#include "app/models/gantt/time_axis.hpp"

namespace pipedeck::models::gantt {

enum class MinimapGrip { none, left, right, inside };

struct MinimapFrame {
  double left = 0, right = 0;  ///< pixels
};

/// Returns a frame at least `least` pixels wide, so that it can be grabbed.
MinimapFrame minimap_frame(const TimeAxis& axis, double width, double least = 6);
MinimapGrip minimap_grip(const MinimapFrame& frame, double x, double reach = 4);
/// Returns the axis after a drag by `pixels`; `axis` is the axis at the start of the drag.
TimeAxis minimap_dragged(const TimeAxis& axis, MinimapGrip grip, double pixels, double width);
/// Returns the axis with an equal span, centred at `x`.
TimeAxis minimap_centred(const TimeAxis& axis, double x, double width);

}  // namespace pipedeck::models::gantt
