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

/// Counts the lane's operations before `end`, a position in the timeline.
KindTimes count_until(const Timeline& timeline, const TimelineLane& lane, const LaneSums& sums, std::size_t end) {
  if (end <= lane.begin) return {};
  const std::size_t from = (end - 1 - lane.begin) / operations_per_block;
  KindTimes counts = sums.counts[from];
  for (std::size_t i = lane.begin + from * operations_per_block; i < end; ++i) ++of_kind(counts, timeline, i);
  return counts;
}

}  // namespace

LaneSums sum_lane(const Timeline& timeline, const TimelineLane& lane) {
  LaneSums sums;
  KindTimes times{}, counts{};
  for (std::size_t i = lane.begin; i < lane.end; ++i) {
    if ((i - lane.begin) % operations_per_block == 0) {
      sums.before.push_back(times);
      sums.counts.push_back(counts);
    }
    ++of_kind(counts, timeline, i);
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

KindTimes count_between(const Timeline& timeline, const TimelineLane& lane, const LaneSums& sums, std::int64_t begin,
                        std::int64_t end) {
  if (end <= begin) return {};
  KindTimes counts = count_until(timeline, lane, sums, first_starting_from(timeline, lane, static_cast<double>(end)));
  const KindTimes before =
      count_until(timeline, lane, sums, first_ending_after(timeline, lane, static_cast<double>(begin)));
  for (std::size_t kind = 0; kind < counts.size(); ++kind)
    counts[kind] = std::max<std::int64_t>(0, counts[kind] - before[kind]);
  return counts;
}

}  // namespace pipedeck::models::gantt
