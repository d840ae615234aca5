// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/difference.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace pipedeck::models::gantt {

namespace {

constexpr std::int64_t much = 50;  // a start moves far if by more than 1/50 of the longer plan

struct Cursor {
  const Timeline* timeline = nullptr;
  std::size_t at = 0, end = 0;

  bool done() const { return at == end; }
  std::int64_t begin() const { return timeline->start[at]; }
  std::int64_t over() const { return timeline->start[at] + timeline->duration[at]; }
  bool covers(std::int64_t time) const { return !done() && begin() <= time; }
  /// Returns the next time after `time` at which an operation starts or ends.
  std::int64_t change_after(std::int64_t time) const {
    constexpr std::int64_t never = INT64_MAX;
    return done() ? never : begin() > time ? begin() : over();
  }
  void pass(std::int64_t time) {
    while (!done() && over() <= time) ++at;
  }
  Operation operation() const { return timeline->row(at).operation; }
};

Cursor compute_of(const Content& content, DeviceId device) {
  const auto group = content.group_of(device);
  if (!group || !content.groups[*group].compute) return {};
  const TimelineLane& lane = content.timeline->lanes[*content.groups[*group].compute];
  return {content.timeline.get(), lane.begin, lane.end};
}

bool same(const Cursor& a, const Cursor& b) { return a.operation() == b.operation(); }

TimelineRow span_of(std::int64_t begin, std::int64_t end, Difference what, int stage) {
  return {Nanoseconds(begin), Nanoseconds(end - begin), {static_cast<OpKind>(what), StageId(stage), -1}};
}

/// Returns the spans in which the two differ, in order of time.
std::vector<TimelineRow> busy_spans(Cursor from, Cursor to, const std::stop_token& stop) {
  std::vector<TimelineRow> spans;
  std::int64_t time = 0;
  for (std::size_t steps = 0; !from.done() || !to.done(); ++steps) {
    if (steps % 65536 == 0 && stop.stop_requested()) break;
    from.pass(time);
    to.pass(time);
    const std::int64_t until = std::min(from.change_after(time), to.change_after(time));
    if (from.done() && to.done()) break;
    const bool first = from.covers(time), second = to.covers(time);
    std::optional<Difference> what;
    if (first != second)
      what = first ? Difference::gained : Difference::lost;
    else if (first && !same(from, to))
      what = Difference::other;
    if (what) {
      const auto kind = static_cast<OpKind>(*what);
      if (!spans.empty() && spans.back().operation.kind == kind && spans.back().end().count == time)
        spans.back().duration = Nanoseconds(until - spans.back().start.count);
      else
        spans.push_back(span_of(time, until, *what, 0));
    }
    time = until;
  }
  return spans;
}

void collect_starts(GanttDifference& difference) {
  const Timeline& timeline = *difference.from->timeline;
  for (const std::uint16_t stage : timeline.stage)
    difference.stages = std::max(difference.stages, std::size_t{stage} + 1);
  difference.starts.resize(difference.stages * op_kind_count);
  for (const TimelineLane& lane : timeline.lanes) {
    if (lane.role != LaneRole::compute) continue;
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      if (timeline.micro_batch[i] < 0) continue;
      auto& of_kind = difference.starts[timeline.stage[i] * op_kind_count + static_cast<std::size_t>(timeline.kind[i])];
      const auto micro_batch = static_cast<std::size_t>(timeline.micro_batch[i]);
      if (of_kind.size() <= micro_batch) of_kind.resize(micro_batch + 1, -1);
      std::int64_t& start = of_kind[micro_batch];
      start = start < 0 ? timeline.start[i] : std::min(start, timeline.start[i]);
    }
  }
}

std::vector<TimelineRow> lag_spans(GanttDifference& difference, Cursor to, std::int64_t longest) {
  std::vector<TimelineRow> spans;
  for (; !to.done(); ++to.at) {
    const auto start = difference.start_in_first(to.operation());
    ++(start ? difference.matched : difference.unmatched);
    if (!start || *start == to.begin()) continue;
    const std::int64_t lag = to.begin() - *start;
    const bool far = std::abs(lag) * much > longest;
    const Difference what =
        lag < 0 ? (far ? Difference::gained : Difference::earlier) : (far ? Difference::lost : Difference::later);
    spans.push_back(span_of(to.begin(), to.over(), what, to.operation().stage.value));
  }
  return spans;
}

}  // namespace

std::optional<std::int64_t> GanttDifference::start_in_first(const Operation& operation) const {
  const auto stage = static_cast<std::size_t>(operation.stage.value);
  if (operation.micro_batch < 0 || stage >= stages) return std::nullopt;
  const auto& of_kind = starts[stage * op_kind_count + static_cast<std::size_t>(operation.kind)];
  const auto micro_batch = static_cast<std::size_t>(operation.micro_batch);
  if (micro_batch >= of_kind.size() || of_kind[micro_batch] < 0) return std::nullopt;
  return of_kind[micro_batch];
}

std::shared_ptr<const GanttDifference> make_difference(std::shared_ptr<const Content> from,
                                                       std::shared_ptr<const Content> to, const std::stop_token& stop) {
  if (!from || !to) return nullptr;
  auto difference = std::make_shared<GanttDifference>();
  difference->from = std::move(from);
  difference->to = std::move(to);
  collect_starts(*difference);
  std::set<DeviceId> devices;
  for (const auto& content : {difference->from, difference->to})
    for (const Group& group : content->groups) devices.insert(group.devices.begin(), group.devices.end());
  const std::int64_t longest = std::max(difference->from->end, difference->to->end);
  auto busy = std::make_shared<Timeline>(), lag = std::make_shared<Timeline>();
  for (const DeviceId device : devices) {
    if (stop.stop_requested()) return nullptr;
    const Cursor first = compute_of(*difference->from, device), second = compute_of(*difference->to, device);
    const auto spans = busy_spans(first, second, stop);
    for (const TimelineRow& span : spans) {
      const auto what = static_cast<Difference>(span.operation.kind);
      (what == Difference::gained ? difference->gained
       : what == Difference::lost ? difference->lost
                                  : difference->other) += span.duration.count;
    }
    busy->append_lane({LaneRole::compute, device, device}, spans);
    lag->append_lane({LaneRole::compute, device, device}, lag_spans(*difference, second, longest));
  }
  difference->busy = make_gantt_content(std::shared_ptr<const Timeline>(std::move(busy)), Folding::identical_replicas);
  difference->lag = make_gantt_content(std::shared_ptr<const Timeline>(std::move(lag)), Folding::none);
  return stop.stop_requested() ? nullptr : difference;
}

}  // namespace pipedeck::models::gantt
