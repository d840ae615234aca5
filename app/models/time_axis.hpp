// SPDX-License-Identifier: GPL-3.0-or-later
// Time to pixel and back, as a plain value: what every time-based view shares.
#pragma once

namespace pipedeck::app {

/// The visible span of time over `width` pixels. Times are nanoseconds as doubles, so that deep zooms stay exact.
struct TimeAxis {
  double begin = 0;  ///< ns at pixel 0
  double end = 1;    ///< ns at pixel `width`
  double full = 1;   ///< ns: nothing is shown outside [0, full]
  double fit = 0;    ///< ns: the span from 0 that "fit" shows, where that is less than all; 0: all

  bool operator==(const TimeAxis&) const = default;
  double span() const { return end - begin; }
  double to_pixel(double time, double width) const { return (time - begin) / span() * width; }
  double to_time(double pixel, double width) const { return begin + pixel / width * span(); }

  /// Zooms by `factor` (> 1: closer) keeping `anchor` (ns) in place; never past the full span or under 10 ns.
  TimeAxis zoomed(double factor, double anchor) const;
  TimeAxis panned(double time) const;
  TimeAxis fitted() const { return {0, fit > 0 ? fit : full, full, fit}; }
  /// 1-2-5 steps with about `pixels` between ticks.
  double tick_step(double width, double pixels) const;
};

}  // namespace pipedeck::app
