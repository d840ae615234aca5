// SPDX-License-Identifier: GPL-3.0-or-later
// The device time between two cursors by kind, and the edges that a cursor snaps to.
#pragma once

#include <optional>

#include "app/models/gantt/geometry.hpp"

namespace pipedeck::models::gantt {

/// A breakdown of a span's device time. The kinds, exposed all-reduce and idle time add up to `span` x `devices`.
struct MeasuredTime {
  Nanoseconds span;
  int devices = 0;
  KindTimes busy{};  ///< all-reduce: only the part without overlapped computation
  std::int64_t idle = 0;
  std::int64_t total() const { return span.count * devices; }
  double share(std::int64_t time) const {
    return total() > 0 ? static_cast<double>(time) / static_cast<double>(total()) : 0;
  }
};

/// Measures [begin, end) ns over all devices, or over the devices of one row. A link's row counts its transfers as one
/// device.
MeasuredTime measure_time(const Content& content, double begin, double end);
MeasuredTime measure_row(const Content& content, const Row& row, double begin, double end);

/// Returns the start or end of an operation nearest to a point of the plot, within `reach` pixels. The row at the point
/// has precedence.
std::optional<double> snap_time(const Content& content, const Geometry& geometry, const TimeAxis& axis,
                                double plot_width, QPointF point, double reach);

}  // namespace pipedeck::models::gantt
