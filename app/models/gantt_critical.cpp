// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt_critical.hpp"

#include <algorithm>
#include <map>

namespace pipedeck::app {

namespace {

/// The row of every device, and of every lane of a link.
struct Rows {
  std::map<DeviceId, std::size_t> devices;
  std::map<std::size_t, std::size_t> links;
};

Rows rows_of(const GanttContent& content, const GanttGeometry& geometry) {
  Rows rows;
  for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
    const GanttRow& row = geometry.rows[i];
    if (row.kind == GanttRow::Kind::link) {
      rows.links[content.links[row.group].lane] = i;
    } else if (row.kind == GanttRow::Kind::device) {
      rows.devices[content.groups[row.group].devices[row.device]] = i;
    } else {
      for (const DeviceId device : content.groups[row.group].devices) rows.devices[device] = i;
    }
  }
  return rows;
}

}  // namespace

std::vector<CriticalBox> critical_boxes(const CriticalPath& path, const GanttContent& content,
                                        const GanttGeometry& geometry) {
  const Rows rows = rows_of(content, geometry);
  std::vector<CriticalBox> boxes;
  for (const CriticalLink& link : path.links) {
    const bool transfer = link.role == LaneRole::link;
    const auto lane = rows.links.find(link.lane);
    const auto device = rows.devices.find(link.device);
    if (transfer ? lane == rows.links.end() : device == rows.devices.end()) continue;
    boxes.push_back({transfer ? lane->second : device->second, link.role == LaneRole::collective,
                     static_cast<double>(link.begin.count), static_cast<double>(link.end.count)});
  }
  return boxes;
}

}  // namespace pipedeck::app
