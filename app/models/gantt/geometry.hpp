// SPDX-License-Identifier: GPL-3.0-or-later
// Positions of a Gantt chart's lanes and hit tests, without painter or window.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <QPointF>
#include <QString>
#include <QStringList>

#include "app/models/gantt/content.hpp"
#include "app/models/gantt/part_lanes.hpp"
#include "app/models/gantt/time_axis.hpp"

namespace pipedeck::models::gantt {

/// A set of heights in device-independent pixels.
struct Metrics {
  int lane = 24;       ///< boxes of a compute lane
  int strip = 5;       ///< part of it where an all-reduce is visible below a computation
  int secondary = 11;  ///< the second timeline's lane; 0: there is none
  int link = 10;       ///< a transfer lane; 0: not shown
  int part = 16;       ///< a part of a divided lane
  int gap = 4;         ///< between lanes
  int margin = 2;      ///< above the first and below the last lane
  bool operator==(const Metrics&) const = default;
};

/// Returns lower lanes for more lanes, so that 64 fit on a screen.
Metrics metrics_for(std::size_t lanes);

/// A drawn lane: of a group, of a group that represents its whole stage, of one device of an opened group, of a link,
/// or a part of the lane above.
struct Row {
  enum class Kind { group, stage, device, link, part };
  Kind kind = Kind::group;
  std::size_t group = 0;   ///< index into groups; links: index into links
  std::size_t device = 0;  ///< index within the group
  std::size_t part = 0;    ///< index into PartLanes::lanes
  int top = 0;
  int height = 0;  ///< of the boxes
  int pale_top = 0, pale_height = 0;
  bool operator==(const Row&) const = default;
  int bottom() const { return top + height; }
};

struct Geometry {
  std::vector<Row> rows;
  int height = 0;
  bool operator==(const Geometry&) const = default;
  /// Returns the row at `y`, including its share of the gap below, or nullopt outside all rows.
  std::optional<std::size_t> row_at(double y) const;
};

/// The user's choice and order of lanes.
struct LaneChoice {
  std::vector<DeviceId> order;             ///< blocks from the top, by fold_key(); the others follow as usual
  std::optional<std::set<DeviceId>> only;  ///< the lanes to show, by lane_key(); nothing: all
  bool operator==(const LaneChoice&) const = default;
};

/// The parts of lanes that are shown divided, by lane_key().
using DividedLanes = std::map<DeviceId, std::shared_ptr<const PartLanes>>;

/// Computes the rows. `opened` holds the first devices of the groups and folded stages that are shown with one lane per
/// device.
Geometry lay_out(const Content& content, const std::set<DeviceId>& opened, const Metrics& metrics,
                 const LaneChoice& choice = {}, const DividedLanes& divided = {});

/// Returns the device that stands for a lane or its parts: its own, or the first of several. -1 for a link.
DeviceId lane_key(const Content& content, const Row& row);
/// Returns the blocks of lanes that move together, by fold_key(), from the top.
std::vector<DeviceId> lane_blocks(const Content& content, const LaneChoice& choice);
/// Returns the order of blocks in which `block` is before the block that is now at `position`, or last.
std::vector<DeviceId> with_block_moved(const Content& content, const LaneChoice& choice, DeviceId block,
                                       std::size_t position);

/// Returns the number of lanes without links.
std::size_t lane_count(const Content& content, const std::set<DeviceId>& opened);
/// Returns true if the lane can be shown with a lane for each of its parts.
bool divides(const Content& content, const Row& row);
/// Returns true if a click on the row's name opens or closes something.
bool folds(const Content& content, const Row& row);
/// Returns the device that represents the row's group in `opened`.
DeviceId fold_key(const Content& content, const Row& row);

/// Returns the name of a row other than a part's: "G0–G7", "G3", "G0–G7 → G8–G15". "G0 + 7" is the first of eight
/// different replicas of a stage; "G0 · stages 0, 7" lists its chunks.
QString row_name(const Content& content, const Row& row, const QStringList& device_names = {});

/// Returns "S0" for the lane of devices that have one stage of several, else an empty text.
QString stage_badge(const Content& content, const Row& row);

/// Returns "stages 0, 7" for a device with several chunks, empty text for one chunk.
QString chunks_text(const Group& group);
/// Returns the letter of a chunk in a box: "a", "b".
QString chunk_letter(int chunk);

/// Returns the timeline's lane that a row shows, or nullopt.
std::optional<std::size_t> main_lane(const Content& content, const Row& row);
std::optional<std::size_t> collective_lane(const Content& content, const Row& row);

struct Hit {
  std::size_t row = 0;        ///< index in the geometry
  std::size_t operation = 0;  ///< index in the timeline's columns
  bool operator==(const Hit&) const = default;
};

/// Finds the operation at a point of the plot (x from its left edge). Operations narrower than a pixel are found within
/// `slack` pixels.
std::optional<Hit> hit_test(const Content& content, const Geometry& geometry, const TimeAxis& axis, double plot_width,
                            QPointF point, double slack = 1.0);

enum class Step { previous, next, up, down };
/// Returns the neighbour of an operation: in its lane, or the nearest in time in the lane above or below.
Hit step_from(const Content& content, const Geometry& geometry, const Hit& from, Step step);

/// Finds the first operation with the same kind, stage and micro-batch, to show one operation in several charts.
std::optional<Hit> find_operation(const Content& content, const Geometry& geometry, const Operation& operation);

}  // namespace pipedeck::models::gantt
