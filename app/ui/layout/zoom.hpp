// SPDX-License-Identifier: GPL-3.0-or-later
// The zoom of the whole interface: texts, and with them rows, lanes and panels, grow in steps. It comes on top of the
// screen's own scale.
#pragma once

namespace pipedeck::ui::layout {

inline constexpr int least_zoom = 60, most_zoom = 250;  ///< percent

/// Sets the zoom in percent, within the limits, for all windows of the program. Returns the zoom that was set.
int set_zoom(int percent);
int zoom();
/// Returns the next larger (`direction` > 0) or smaller step.
int next_zoom(int percent, int direction);
/// Returns a length in pixels at the current zoom.
int zoomed(int pixels);

}  // namespace pipedeck::ui::layout
