// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/lane_sums.hpp"

#include <algorithm>

#include "app/models/gantt/pyramid.hpp"

namespace pipedeck::models::gantt {

namespace {

constexpr std::size_t operations_per_block = 1024;

std::int64_t& of_kind(KindTimes& times, const Timeline& timeline, std::size_t i) {
  return times[static_cast<std::size_t>(timeline.kind[i])];
}

/// Sums up the lane's operations before `time`; the last one counts up to `time`.
KindTimes busy_until(const Timeline& timeline, const TimelineLane& lane, const LaneSums& sums, std::int64_t time) {
  const std::size_t after = first_starting_from(timeline, lane, static_cast<double>(time));
  if (after == lane.begin) return {};
  const std::size_t from = (after - 1 - lane.begin) / operations_per_block;
  KindTimes times = sums.before[from];
  for (std::size_t i = lane.begin + from * operations_per_block; i < after; ++i)
    of_kind(times, timeline, i) += std::min(timeline.duration[i], time - timeline.start[i]);
  return times;
}

}  // namespace

LaneSums sum_lane(const Timeline& timeline, const TimelineLane& lane) {
  LaneSums sums;
  KindTimes times{};
  for (std::size_t i = lane.begin; i < lane.end; ++i) {
    if ((i - lane.begin) % operations_per_block == 0) sums.before.push_back(times);
    of_kind(times, timeline, i) += timeline.duration[i];
    sums.kinds |= 1u << static_cast<unsigned>(timeline.kind[i]);
  }
  return sums;
}

KindTimes busy_between(const Timeline& timeline, const TimelineLane& lane, const LaneSums& sums, std::int64_t begin,
                       std::int64_t end) {
  if (end <= begin) return {};
  KindTimes times = busy_until(timeline, lane, sums, end);
  const KindTimes before = busy_until(timeline, lane, sums, begin);
  for (std::size_t kind = 0; kind < times.size(); ++kind) times[kind] -= before[kind];
  return times;
}

}  // namespace pipedeck::models::gantt
