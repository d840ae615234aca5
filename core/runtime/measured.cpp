// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "core/runtime/run.hpp"

namespace pipedeck {

Timeline measured_timeline(const Run& run) {
  Timeline timeline;
  std::map<std::pair<DeviceId, DeviceId>, std::vector<TimelineRow>> links;
  const auto device = [&](std::size_t worker) { return run.layout.placements[worker].device; };
  for (std::size_t i = 0; i < run.workers.size(); ++i) {
    timeline.append_lane({LaneRole::compute, device(i), device(i), 0, 0}, run.workers[i].record().compute);
    for (const TransferRecord& transfer : run.workers[i].record().transfers)
      links[{device(transfer.from), device(i)}].push_back(transfer.row);
  }
  for (std::size_t i = 0; i < run.workers.size(); ++i)
    if (!run.workers[i].record().all_reduces.empty())
      timeline.append_lane({LaneRole::collective, device(i), device(i), 0, 0}, run.workers[i].record().all_reduces);
  for (const auto& [ends, rows] : links) timeline.append_lane({LaneRole::link, ends.first, ends.second, 0, 0}, rows);
  return timeline;
}

}  // namespace pipedeck
