// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/measure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace pipedeck::models::gantt {

namespace {

std::int64_t sum(const KindTimes& times) { return std::accumulate(times.begin(), times.end(), std::int64_t{0}); }

/// Returns how long a lane's operations in the span overlap with those of `compute`.
std::int64_t hidden(const Content& content, std::size_t lane_index, std::size_t compute, std::int64_t begin,
                    std::int64_t end) {
  const Timeline& timeline = *content.timeline;
  const TimelineLane& lane = timeline.lanes[lane_index];
  std::int64_t time = 0;
  for (std::size_t i = first_ending_after(timeline, lane, static_cast<double>(begin));
       i < lane.end && timeline.start[i] < end; ++i)
    time +=
        sum(busy_between(timeline, timeline.lanes[compute], content.sums[compute], std::max(begin, timeline.start[i]),
                         std::min(end, timeline.start[i] + timeline.duration[i])));
  return time;
}

/// Adds the time of one group's devices.
void add_group(PlaceSums& sums, const Content& content, const Group& group, std::int64_t begin, std::int64_t end) {
  const Timeline& timeline = *content.timeline;
  const auto devices = static_cast<std::int64_t>(group.devices.size());
  const auto add = [&](KindTimes& to, const KindTimes& times) {
    for (std::size_t kind = 0; kind < times.size(); ++kind) to[kind] += times[kind] * devices;
  };
  const auto of_lane = [&](std::size_t lane, const auto& counted) {
    return counted(timeline, timeline.lanes[lane], content.sums[lane], begin, end);
  };
  if (group.compute) {
    add(sums.busy, of_lane(*group.compute, busy_between));
    add(sums.count, of_lane(*group.compute, count_between));
  }
  if (group.collective) {
    const std::int64_t reduces = sum(of_lane(*group.collective, busy_between));
    const std::int64_t overlapped = group.compute ? hidden(content, *group.collective, *group.compute, begin, end) : 0;
    sums.busy[static_cast<std::size_t>(OpKind::all_reduce)] += (reduces - overlapped) * devices;
    sums.overlapped += overlapped * devices;
    add(sums.count, of_lane(*group.collective, count_between));
  }
  sums.devices.insert(sums.devices.end(), group.devices.begin(), group.devices.end());
}

void close(PlaceSums& sums, std::int64_t span) {
  sums.span = span;
  sums.idle = std::max<std::int64_t>(0, sums.total() - sums.working());
  std::ranges::sort(sums.devices);
}

/// Updates `best` with the operations' edge nearest to `time`.
void nearest_edge(const Timeline& timeline, const TimelineLane& lane, double time, std::optional<double>& best) {
  const std::size_t after = first_ending_after(timeline, lane, time);
  const std::size_t from = after > lane.begin ? after - 1 : after;
  for (std::size_t i = from; i < std::min(lane.end, after + 1); ++i)
    for (const std::int64_t edge : {timeline.start[i], timeline.start[i] + timeline.duration[i]})
      if (const auto at = static_cast<double>(edge); !best || std::abs(at - time) < std::abs(*best - time)) best = at;
}

}  // namespace

std::int64_t PlaceSums::working() const { return sum(busy); }

SpanSums sum_span(const Content& content, double begin, double end) {
  const auto [from, to] = std::minmax({std::llround(begin), std::llround(end)});
  SpanSums sums{Nanoseconds(from), Nanoseconds(to), {}, {}};
  std::set<int> stages;
  for (const Group& group : content.groups) {
    auto place = std::ranges::find(sums.places, group.stages, &PlaceSums::stages);
    if (place == sums.places.end()) {
      sums.places.push_back({});
      place = sums.places.end() - 1;
      place->stages = group.stages;
      stages.insert(group.stages.begin(), group.stages.end());
    }
    add_group(*place, content, group, from, to);
  }
  for (PlaceSums& place : sums.places) {
    close(place, to - from);
    for (std::size_t kind = 0; kind < place.busy.size(); ++kind) {
      sums.all.busy[kind] += place.busy[kind];
      sums.all.count[kind] += place.count[kind];
    }
    sums.all.overlapped += place.overlapped;
    sums.all.devices.insert(sums.all.devices.end(), place.devices.begin(), place.devices.end());
  }
  sums.all.stages.assign(stages.begin(), stages.end());
  close(sums.all, to - from);
  return sums;
}

std::optional<double> snap_time(const Content& content, const Geometry& geometry, const TimeAxis& axis,
                                double plot_width, QPointF point, double reach) {
  const double time = axis.to_time(point.x(), plot_width);
  const double within = reach * axis.span() / plot_width;
  const auto of_row = [&](const Row& row) {
    std::optional<double> best;
    for (const auto& lane : {main_lane(content, row), collective_lane(content, row)})
      if (lane) nearest_edge(*content.timeline, content.timeline->lanes[*lane], time, best);
    return best && std::abs(*best - time) <= within ? best : std::nullopt;
  };
  if (const auto row = geometry.row_at(point.y()))
    if (const auto edge = of_row(geometry.rows[*row])) return edge;
  std::optional<double> best;
  for (const Row& row : geometry.rows)
    if (const auto edge = of_row(row); edge && (!best || std::abs(*edge - time) < std::abs(*best - time))) best = edge;
  return best;
}

}  // namespace pipedeck::models::gantt
