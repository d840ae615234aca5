// SPDX-License-Identifier: Apache-2.0
#include "core/sim/compare_timelines.hpp"

#include <algorithm>
#include <array>

namespace pipedeck {
namespace {

struct Totals {
  std::array<int, op_kind_count> count{};
  std::array<std::int64_t, op_kind_count> time{};  // ns
  std::int64_t iteration = 0, idle = 0;            // ns
};

/// Time from the first start: a measured step need not begin at 0.
Totals totals_of(const Timeline& timeline) {
  Totals totals;
  if (timeline.size() == 0) return totals;
  const std::int64_t begin = *std::min_element(timeline.start.begin(), timeline.start.end());
  totals.iteration = timeline.makespan().count - begin;
  for (const TimelineLane& lane : timeline.lanes) {
    if (lane.role == LaneRole::compute) totals.idle += totals.iteration;
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      const auto kind = static_cast<std::size_t>(timeline.kind[i]);
      ++totals.count[kind];
      totals.time[kind] += timeline.duration[i];
      if (lane.role == LaneRole::compute) totals.idle -= timeline.duration[i];
    }
  }
  return totals;
}

}  // namespace

TimelineDifference difference(const Timeline& predicted, const Timeline& measured) {
  const Totals a = totals_of(predicted), b = totals_of(measured);
  TimelineDifference out;
  for (std::size_t k = 0; k < op_kind_count; ++k) {
    if (a.count[k] == 0 && b.count[k] == 0) continue;
    out.kinds.push_back({static_cast<OpKind>(k), a.count[k], b.count[k], to_seconds(Nanoseconds(a.time[k])),
                         to_seconds(Nanoseconds(b.time[k]))});
  }
  out.predicted_idle = to_seconds(Nanoseconds(a.idle));
  out.measured_idle = to_seconds(Nanoseconds(b.idle));
  out.predicted_iteration = to_seconds(Nanoseconds(a.iteration));
  out.measured_iteration = to_seconds(Nanoseconds(b.iteration));
  return out;
}

}  // namespace pipedeck
