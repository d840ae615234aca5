// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of the visible window in an overview of the whole time: where it lies, what a press takes hold of, where a
// drag leads.
#pragma once

#include "app/models/time_axis.hpp"

namespace pipedeck::app {

enum class MinimapGrip { none, left, right, inside };

struct MinimapFrame {
  double left = 0, right = 0;  ///< pixels
};

/// Never narrower than `least` pixels, so that it can be taken hold of.
MinimapFrame minimap_frame(const TimeAxis& axis, double width, double least = 6);
MinimapGrip minimap_grip(const MinimapFrame& frame, double x, double reach = 4);
/// The axis after a drag by `pixels` that began with `axis` in hand.
TimeAxis minimap_dragged(const TimeAxis& axis, MinimapGrip grip, double pixels, double width);
/// The same span with its middle at `x`.
TimeAxis minimap_centred(const TimeAxis& axis, double x, double width);

}  // namespace pipedeck::app
