// SPDX-License-Identifier: GPL-3.0-or-later
// The map from time to pixels and back, as a plain value shared by all views over time.
#pragma once

namespace pipedeck::models::gantt {

/// A visible span of time over `width` pixels. Times are nanoseconds as doubles, so that deep zooms stay exact.
struct TimeAxis {
  double begin = 0;  ///< ns at pixel 0
  double end = 1;    ///< ns at pixel `width`
  double full = 1;   ///< ns: the visible range is within [0, full]
  double fit = 0;    ///< ns: the span from 0 that "fit" shows; 0: all

  bool operator==(const TimeAxis&) const = default;
  double span() const { return end - begin; }
  double to_pixel(double time, double width) const { return (time - begin) / span() * width; }
  double to_time(double pixel, double width) const { return begin + pixel / width * span(); }

  /// Zooms by `factor` (> 1: closer) around `anchor` (ns). The span is between 10 ns and the full span.
  TimeAxis zoomed(double factor, double anchor) const;
  TimeAxis panned(double time) const;
  /// Shows [from, to], in either order; at least 10 ns.
  TimeAxis showing(double from, double to) const;
  TimeAxis fitted() const { return {0, fit > 0 ? fit : full, full, fit}; }
  /// Returns a step of 1, 2 or 5 times a power of ten, with about `pixels` between ticks.
  double tick_step(double width, double pixels) const;
};

}  // namespace pipedeck::models::gantt
