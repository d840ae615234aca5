// SPDX-License-Identifier: GPL-3.0-or-later
// Where the lanes of a Gantt chart lie and what is at a point of it; no painter, no window.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include <QPointF>
#include <QString>
#include <QStringList>

#include "app/models/gantt_content.hpp"
#include "app/models/time_axis.hpp"

namespace pipedeck::app {

/// Heights in device-independent pixels.
struct GanttMetrics {
  int lane = 24;   ///< boxes of a compute lane
  int strip = 5;   ///< of it, shown of an all-reduce beneath a computation
  int pale = 11;   ///< the second timeline's lane; 0: there is none
  int link = 10;   ///< a transfer lane; 0: not shown
  int gap = 4;     ///< between lanes
  int margin = 2;  ///< above the first and below the last lane
  bool operator==(const GanttMetrics&) const = default;
};

/// Lanes get lower as there are more of them, so that 64 fit a screen.
GanttMetrics metrics_for(std::size_t lanes);

/// One drawn lane: a group, one that stands for its whole stage, one device of what is opened, or a link.
struct GanttRow {
  enum class Kind { group, stage, device, link };
  Kind kind = Kind::group;
  std::size_t group = 0;   ///< index into groups; links: index into links
  std::size_t device = 0;  ///< within the group
  int top = 0;
  int height = 0;  ///< of the boxes
  int pale_top = 0, pale_height = 0;
  bool operator==(const GanttRow&) const = default;
  int bottom() const { return top + height; }
};

struct GanttGeometry {
  std::vector<GanttRow> rows;
  int height = 0;
  bool operator==(const GanttGeometry&) const = default;
  /// The row at `y`, its share of the gap below included; none outside.
  std::optional<std::size_t> row_at(double y) const;
};

/// `opened`: first devices of the groups and folded stages that show a lane a device.
GanttGeometry lay_out(const GanttContent& content, const std::set<DeviceId>& opened, const GanttMetrics& metrics);

/// How many lanes that are, links left out.
std::size_t lane_count(const GanttContent& content, const std::set<DeviceId>& opened);
/// Whether a click on the row's name opens or closes anything.
bool folds(const GanttContent& content, const GanttRow& row);
/// The device by which `opened` knows what the row opens or closes.
DeviceId fold_key(const GanttContent& content, const GanttRow& row);

/// "G0–G7", "G3", "G0 + 7" (the first of a stage of eight whose replicas differ), "G0 · stages 0, 7" (its chunks),
/// "G0–G7 → G8–G15".
QString row_name(const GanttContent& content, const GanttRow& row, const QStringList& device_names = {});

/// "stages 0, 7" of a device with several chunks; empty for one.
QString chunks_text(const GanttGroup& group);
/// How a chunk is told in a box: "a", "b".
QString chunk_letter(int chunk);

/// The lanes of the timeline that a row shows; either may be absent.
std::optional<std::size_t> main_lane(const GanttContent& content, const GanttRow& row);
std::optional<std::size_t> collective_lane(const GanttContent& content, const GanttRow& row);

struct GanttHit {
  std::size_t row = 0;        ///< of the geometry
  std::size_t operation = 0;  ///< of the timeline's columns
  bool operator==(const GanttHit&) const = default;
};

/// The operation under a point of the plot (x from its left edge). An operation narrower than a pixel is found within
/// `slack` pixels.
std::optional<GanttHit> hit_test(const GanttContent& content, const GanttGeometry& geometry, const TimeAxis& axis,
                                 double plot_width, QPointF point, double slack = 1.0);

enum class GanttStep { previous, next, up, down };
/// From one operation to its neighbour: in the lane, or to the nearest in time of the lane above or below.
GanttHit step_from(const GanttContent& content, const GanttGeometry& geometry, const GanttHit& from, GanttStep step);

/// The first operation with the same kind, stage and micro-batch; for showing one operation in several charts.
std::optional<GanttHit> find_operation(const GanttContent& content, const GanttGeometry& geometry,
                                       const Operation& operation);

}  // namespace pipedeck::app
