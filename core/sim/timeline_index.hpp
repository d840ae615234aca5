// SPDX-License-Identifier: Apache-2.0
// Finds operations of a trace again in its timeline.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/result.hpp"
#include "core/model/explanation.hpp"

namespace pipedeck::sim {

class TimelineIndex {
 public:
  explicit TimelineIndex(const Timeline& timeline) : timeline_(timeline) {
    for (std::size_t i = 0; i < timeline.lanes.size(); ++i) lanes_.emplace(key(timeline.lanes[i]), i);
  }

  /// Sets the lane and the row of a link whose operation starts at `start`.
  void locate(CriticalSegment& link, std::int64_t start) const {
    const auto [first, last] = lanes_.equal_range({link.role, link.device, link.to});
    for (auto lane = first; lane != last; ++lane) {
      const TimelineLane& range = timeline_.lanes[lane->second];
      const auto column = timeline_.start.begin();
      auto at = static_cast<std::size_t>(std::lower_bound(column + static_cast<std::ptrdiff_t>(range.begin),
                                                          column + static_cast<std::ptrdiff_t>(range.end), start) -
                                         column);
      for (; at < range.end && timeline_.start[at] == start; ++at)
        if (same(timeline_.row(at).operation, link.operation)) {
          link.lane = lane->second;
          link.row = at;
          return;
        }
    }
    ensure(false, "an operation of the critical path is not in the timeline");
  }

 private:
  using Key = std::tuple<LaneRole, DeviceId, DeviceId>;
  static Key key(const TimelineLane& lane) {
    return {lane.role, lane.device, lane.role == LaneRole::link ? lane.to : DeviceId()};
  }
  static bool same(const Operation& a, const Operation& b) {
    return a.kind == b.kind && a.stage == b.stage && a.micro_batch == b.micro_batch;
  }

  const Timeline& timeline_;
  std::multimap<Key, std::size_t> lanes_;
};

}  // namespace pipedeck::sim
