// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/train/measured.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace pipedeck::runtime::train {
namespace {

Nanoseconds first_start(const std::vector<exec::StepReport>& reports) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  const auto look = [&](const TimelineRow& row) { first = std::min(first, row.start.count); };
  for (const exec::StepReport& report : reports) {
    std::for_each(report.compute.begin(), report.compute.end(), look);
    std::for_each(report.all_reduces.begin(), report.all_reduces.end(), look);
    for (const exec::TransferRecord& transfer : report.transfers) look(transfer.row);
  }
  return Nanoseconds(first);
}

std::vector<TimelineRow> from(Nanoseconds origin, std::vector<TimelineRow> rows) {
  for (TimelineRow& row : rows) row.start -= origin;
  return rows;
}

}  // namespace

Timeline measured_timeline(const exec::Layout& layout, const std::vector<exec::StepReport>& reports) {
  const Nanoseconds origin = layout.synchronous() ? Nanoseconds() : first_start(reports);
  const auto device = [&](std::size_t worker) { return layout.placements[worker].device; };
  Timeline timeline;
  std::map<std::pair<DeviceId, DeviceId>, std::vector<TimelineRow>> links;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    timeline.append_lane({LaneRole::compute, device(i), device(i), 0, 0}, from(origin, reports[i].compute));
    for (const exec::TransferRecord& transfer : reports[i].transfers)
      links[{device(transfer.from), device(i)}].push_back(transfer.row);
  }
  for (std::size_t i = 0; i < reports.size(); ++i)
    if (!reports[i].all_reduces.empty())
      timeline.append_lane({LaneRole::collective, device(i), device(i), 0, 0}, from(origin, reports[i].all_reduces));
  for (const auto& [ends, rows] : links)
    timeline.append_lane({LaneRole::link, ends.first, ends.second, 0, 0}, from(origin, rows));
  return timeline;
}

}  // namespace pipedeck::runtime::train
