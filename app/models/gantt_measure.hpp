// SPDX-License-Identifier: GPL-3.0-or-later
// What fills a span of time between two cursors, and the edges that a cursor snaps to.
#pragma once

#include <optional>

#include "app/models/gantt_geometry.hpp"

namespace pipedeck::app {

/// Device-time of a span: kinds, all-reduces that run beside nothing else, and idle add up to `span` x `devices`.
struct MeasuredTime {
  Nanoseconds span;
  int devices = 0;
  KindTimes busy{};  ///< all-reduce: only what no computation hides
  std::int64_t idle = 0;
  std::int64_t total() const { return span.count * devices; }
  double share(std::int64_t time) const {
    return total() > 0 ? static_cast<double>(time) / static_cast<double>(total()) : 0;
  }
};

/// Of all devices in [begin, end) ns, or of those that one row shows (a link: its transfers, as one device).
MeasuredTime measure_time(const GanttContent& content, double begin, double end);
MeasuredTime measure_row(const GanttContent& content, const GanttRow& row, double begin, double end);

/// The start or end of an operation nearest to a point of the plot, within `reach` pixels; in the row at the point
/// before all others.
std::optional<double> snap_time(const GanttContent& content, const GanttGeometry& geometry, const TimeAxis& axis,
                                double plot_width, QPointF point, double reach);

}  // namespace pipedeck::app
