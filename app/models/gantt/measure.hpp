// SPDX-License-Identifier: GPL-3.0-or-later
// The device time of a span by kind of operation and by place, and the edges that a cursor snaps to.
#pragma once

#include <optional>
#include <vector>

#include "app/models/gantt/geometry.hpp"

namespace pipedeck::models::gantt {

/// The device time of some devices in a span. The kinds and idle time add up to `span` x devices.
struct PlaceSums {
  std::vector<DeviceId> devices;  ///< ascending
  std::vector<int> stages;        ///< that they compute
  KindTimes busy{};               ///< ns; all-reduce: only the exposed part, without computation at the same time
  KindTimes count{};              ///< operations that are in the span, wholly or with a part
  std::int64_t overlapped = 0;    ///< ns of all-reduce at the same time as computation
  std::int64_t idle = 0;          ///< ns
  std::int64_t span = 0;          ///< ns
  std::int64_t total() const { return span * static_cast<std::int64_t>(devices.size()); }
  double share(std::int64_t time) const {
    return total() > 0 ? static_cast<double>(time) / static_cast<double>(total()) : 0;
  }
  std::int64_t working() const;  ///< ns, all kinds
};

/// A breakdown of a span: of all devices, and of the devices of each stage. Devices with the same stages share a place.
struct SpanSums {
  Nanoseconds begin, end;
  PlaceSums all;
  std::vector<PlaceSums> places;  ///< in the order of their first devices
};

/// Sums [begin, end) ns; the times may be in either order.
SpanSums sum_span(const Content& content, double begin, double end);

/// Returns the start or end of an operation nearest to a point of the plot, within `reach` pixels. The row at the point
/// has precedence.
std::optional<double> snap_time(const Content& content, const Geometry& geometry, const TimeAxis& axis,
                                double plot_width, QPointF point, double reach);

}  // namespace pipedeck::models::gantt
