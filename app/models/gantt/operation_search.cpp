// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/operation_search.hpp"

namespace pipedeck::models::gantt {

std::optional<OperationSet> find_operations(const Timeline& timeline, const Query& query, const std::stop_token& stop) {
  constexpr std::size_t stop_every = 1 << 20;
  OperationSet found(timeline.size());
  for (const TimelineLane& lane : timeline.lanes) {
    const bool either = lane.role == LaneRole::link && query.device == lane.to;
    if (query.device && *query.device != lane.device && !either) continue;
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      if (i % stop_every == 0 && stop.stop_requested()) return std::nullopt;
      if (query.matches(timeline.kind[i], timeline.stage[i], timeline.micro_batch[i])) found.insert(i);
    }
  }
  found.close();
  return found;
}

}  // namespace pipedeck::models::gantt
