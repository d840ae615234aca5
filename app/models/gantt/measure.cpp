// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/measure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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

KindTimes busy_of(const Content& content, std::size_t lane, std::int64_t begin, std::int64_t end) {
  return busy_between(*content.timeline, content.timeline->lanes[lane], content.sums[lane], begin, end);
}

/// Returns the busy time of one device of a group.
KindTimes busy_of(const Content& content, const Group& group, std::int64_t begin, std::int64_t end) {
  KindTimes times{};
  if (group.compute) times = busy_of(content, *group.compute, begin, end);
  if (!group.collective) return times;
  const KindTimes reduces = busy_of(content, *group.collective, begin, end);
  const std::int64_t beside = group.compute ? hidden(content, *group.collective, *group.compute, begin, end) : 0;
  times[static_cast<std::size_t>(OpKind::all_reduce)] += sum(reduces) - beside;
  return times;
}

struct Span {
  std::int64_t begin, end;
};

Span whole_nanoseconds(double begin, double end) {
  if (end < begin) std::swap(begin, end);
  return {std::llround(begin), std::llround(end)};
}

void add(MeasuredTime& sums, const KindTimes& times, int devices) {
  for (std::size_t kind = 0; kind < times.size(); ++kind) sums.busy[kind] += times[kind] * devices;
  sums.devices += devices;
}

MeasuredTime& closed(MeasuredTime& sums) {
  sums.idle = std::max<std::int64_t>(0, sums.total() - sum(sums.busy));
  return sums;
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

MeasuredTime measure_time(const Content& content, double begin, double end) {
  const Span span = whole_nanoseconds(begin, end);
  MeasuredTime sums;
  sums.span = Nanoseconds(span.end - span.begin);
  for (const Group& group : content.groups)
    add(sums, busy_of(content, group, span.begin, span.end), static_cast<int>(group.devices.size()));
  return closed(sums);
}

MeasuredTime measure_row(const Content& content, const Row& row, double begin, double end) {
  const Span span = whole_nanoseconds(begin, end);
  MeasuredTime sums;
  sums.span = Nanoseconds(span.end - span.begin);
  if (row.kind == Row::Kind::link) {
    add(sums, busy_of(content, content.links[row.group].lane, span.begin, span.end), 1);
    return closed(sums);
  }
  const Group& group = content.groups[row.group];
  const int devices = row.kind == Row::Kind::device ? 1 : static_cast<int>(group.devices.size());
  add(sums, busy_of(content, group, span.begin, span.end), devices);
  return closed(sums);
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
