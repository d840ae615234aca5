// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/critical.hpp"

#include <algorithm>
#include <map>

namespace pipedeck::models::gantt {

namespace {

/// A map of devices, and of the lanes of links, to their rows.
struct Rows {
  std::map<DeviceId, std::size_t> devices;
  std::map<std::size_t, std::size_t> links;
};

Rows rows_of(const Content& content, const Geometry& geometry) {
  Rows rows;
  for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
    const Row& row = geometry.rows[i];
    if (row.kind == Row::Kind::part) continue;
    if (row.kind == Row::Kind::link) {
      rows.links[content.links[row.group].lane] = i;
    } else if (row.kind == Row::Kind::device) {
      rows.devices[content.groups[row.group].devices[row.device]] = i;
    } else {
      for (const DeviceId device : content.groups[row.group].devices) rows.devices[device] = i;
    }
  }
  return rows;
}

}  // namespace

std::vector<CriticalBox> critical_boxes(const CriticalPath& path, const Content& content, const Geometry& geometry) {
  const Rows rows = rows_of(content, geometry);
  std::vector<CriticalBox> boxes;
  for (std::size_t i = 0; i < path.links.size(); ++i) {
    const CriticalSegment& link = path.links[i];
    const bool transfer = link.role == LaneRole::link;
    const auto lane = rows.links.find(link.lane);
    const auto device = rows.devices.find(link.device);
    if (transfer ? lane == rows.links.end() : device == rows.devices.end()) continue;
    const std::size_t row = transfer ? lane->second : device->second;
    const bool strip = link.role == LaneRole::collective;
    const auto drawn = strip ? collective_lane(content, geometry.rows[row]) : main_lane(content, geometry.rows[row]);
    if (!drawn) continue;
    // Operations of twins have equal positions in their lanes.
    const std::vector<TimelineLane>& lanes = content.timeline->lanes;
    boxes.push_back({row, strip, static_cast<double>(link.begin.count), static_cast<double>(link.end.count), i,
                     lanes[*drawn].begin + (link.row - lanes[link.lane].begin)});
  }
  return boxes;
}

std::optional<std::size_t> critical_step(const std::vector<CriticalBox>& boxes, const Content& content,
                                         const std::optional<Hit>& from, bool forward, double time) {
  if (boxes.empty()) return std::nullopt;
  if (from) {
    const auto on = std::ranges::find(boxes, from->operation, &CriticalBox::operation);
    if (on != boxes.end()) {
      const auto at = static_cast<std::size_t>(on - boxes.begin());
      if (forward ? at + 1 == boxes.size() : at == 0) return std::nullopt;
      return forward ? at + 1 : at - 1;
    }
    time = static_cast<double>(content.timeline->start[from->operation]);
  }
  const auto after = std::ranges::partition_point(boxes, [time](const CriticalBox& box) { return box.begin < time; });
  const auto at = static_cast<std::size_t>(after - boxes.begin());
  if (forward) return std::min(at, boxes.size() - 1);
  return at == 0 ? std::nullopt : std::optional(at - 1);
}

}  // namespace pipedeck::models::gantt
