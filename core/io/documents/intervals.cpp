// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/intervals.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "core/io/json/words.hpp"
#include "core/io/json/writer.hpp"

namespace pipedeck::io::documents {
namespace {

LaneRole role_of(OpKind kind) {
  switch (kind) {
    case OpKind::send:
    case OpKind::receive:
      return LaneRole::link;
    case OpKind::all_reduce:
      return LaneRole::collective;
    default:
      return LaneRole::compute;
  }
}

struct Interval {
  TimelineLane lane;
  TimelineRow row;
  std::string unknown;
};

Interval parse_interval(json::ObjectReader& in) {
  Interval out;
  const std::string word = in.text("kind");
  const std::optional<OpKind> kind = parse_op_kind(word);
  if (in.ok() && !kind)
    in.fail("kind",
            fmt::format("found {}, expected one of {}", json::describe(json::Value(word)), json::words_of<OpKind>("")));
  out.row.operation.kind = kind.value_or(OpKind::forward);
  out.lane.role = role_of(out.row.operation.kind);
  const bool link = out.lane.role == LaneRole::link;
  // A transfer's device is its sender, which `from` repeats.
  out.lane.device = DeviceId(in.count(link ? "from" : "device", 0, limits::devices - 1));
  if (link) out.lane.to = DeviceId(in.count("to", 0, limits::devices - 1));
  if (link) in.has("device");
  out.row.operation.stage = StageId(in.count_or("stage", 0, 0, std::numeric_limits<std::uint16_t>::max()));
  out.row.operation.micro_batch = in.count_or("micro_batch", 0, 0, limits::samples);
  out.row.start = in.nanoseconds("start_ms");
  const Nanoseconds end = in.nanoseconds("end_ms");
  out.row.duration = end - out.row.start;
  if (in.ok() && end < out.row.start)
    in.fail("end_ms", fmt::format("found {}, expected the start, {}, or later", in_milliseconds(end),
                                  in_milliseconds(out.row.start)));
  out.unknown = in.preserve_unknown_members();
  return out;
}

struct Lane {
  TimelineLane lane;
  std::vector<Interval> intervals;
};

/// Operations of one lane never overlap (timeline.hpp).
void check_lane(const Lane& lane, json::ObjectReader& in, std::string_view key) {
  for (std::size_t i = 1; i < lane.intervals.size(); ++i)
    if (lane.intervals[i].row.start < lane.intervals[i - 1].row.end())
      return in.fail(key, fmt::format("found two operations of device {} at {} ms, expected one at a time",
                                      lane.lane.device.value, in_milliseconds(lane.intervals[i].row.start)));
}

/// Unknown members in the order that the timeline has its operations in, which need not be the file's.
void keep_unknown(const std::vector<Lane>& lanes, json::ObjectReader& in, std::string_view key) {
  json::List unknown;
  bool any = false;
  for (const Lane& lane : lanes)
    for (const Interval& interval : lane.intervals) {
      any = any || !interval.unknown.empty();
      unknown.push_back(interval.unknown.empty() ? json::Value() : *json::parse(interval.unknown));
    }
  if (any) in.preserve_unknown(key, json::Value(std::move(unknown)));
}

/// Milliseconds as milliseconds_of has them, without a text of their own.
void append_milliseconds(fmt::memory_buffer& out, Nanoseconds time) {
  constexpr std::int64_t million = 1'000'000;
  const std::int64_t whole = std::abs(time.count / million), rest = std::abs(time.count % million);
  if (time.count < 0) out.push_back('-');
  fmt::format_to(fmt::appender(out), FMT_COMPILE("{}.{:06}"), whole, rest);
  std::size_t end = out.size();
  while (out[end - 1] == '0' && out[end - 2] != '.') --end;
  out.resize(end);
}

/// As intervals_to_json has it: what differs makes the tests of both fail.
void append_interval(fmt::memory_buffer& out, const TimelineLane& lane, const TimelineRow& row, bool first) {
  if (!first) out.push_back(',');
  fmt::format_to(fmt::appender(out), FMT_COMPILE(R"({{"device":{},"kind":"{}","stage":{},"micro_batch":{},)"),
                 lane.device.value, pipedeck::name_of(row.operation.kind), row.operation.stage.value,
                 row.operation.micro_batch);
  if (lane.role == LaneRole::link)
    fmt::format_to(fmt::appender(out), FMT_COMPILE(R"("from":{},"to":{},)"), lane.device.value, lane.to.value);
  out.append(std::string_view(R"("start_ms":)"));
  append_milliseconds(out, row.start);
  out.append(std::string_view(R"(,"end_ms":)"));
  append_milliseconds(out, row.end());
  out.push_back('}');
}

}  // namespace

json::Value intervals_to_json(const Timeline& timeline) {
  json::List list;
  list.reserve(timeline.size());
  for (const TimelineLane& lane : timeline.lanes)
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      const TimelineRow row = timeline.row(i);
      json::ObjectWriter out;
      out.add("device", lane.device.value).add("kind", pipedeck::name_of(row.operation.kind));
      out.add("stage", row.operation.stage.value).add("micro_batch", row.operation.micro_batch);
      if (lane.role == LaneRole::link) out.add("from", lane.device.value).add("to", lane.to.value);
      out.add("start_ms", json::milliseconds_of(row.start)).add("end_ms", json::milliseconds_of(row.end()));
      list.push_back(out.finish());
    }
  return json::Value(std::move(list));
}

bool write_intervals(const Timeline& timeline, const text::ChunkSink& sink) {
  constexpr std::size_t piece = 1 << 16;
  fmt::memory_buffer text;
  const auto hand_on = [&] {
    const bool taken = sink({text.data(), text.size()});
    text.clear();
    return taken;
  };
  text.push_back('[');
  for (const TimelineLane& lane : timeline.lanes)
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      append_interval(text, lane, timeline.row(i), i == timeline.lanes.front().begin);
      if (text.size() > piece && !hand_on()) return false;
    }
  text.push_back(']');
  return hand_on();
}

Timeline read_intervals(json::ObjectReader& in, std::string_view key) {
  std::map<std::tuple<LaneRole, DeviceId, DeviceId>, std::size_t> places;
  std::vector<Lane> lanes;
  in.objects(key, [&](json::ObjectReader& object) {
    Interval interval = parse_interval(object);
    const auto [place, added] =
        places.try_emplace({interval.lane.role, interval.lane.device, interval.lane.to}, lanes.size());
    if (added) lanes.push_back({interval.lane, {}});
    lanes[place->second].intervals.push_back(std::move(interval));
  });
  Timeline timeline;
  for (Lane& lane : lanes) {
    std::stable_sort(lane.intervals.begin(), lane.intervals.end(),
                     [](const Interval& a, const Interval& b) { return a.row.start < b.row.start; });
    check_lane(lane, in, key);
    std::vector<TimelineRow> rows;
    rows.reserve(lane.intervals.size());
    for (const Interval& interval : lane.intervals) rows.push_back(interval.row);
    timeline.append_lane(lane.lane, rows);
  }
  keep_unknown(lanes, in, key);
  return timeline;
}

}  // namespace pipedeck::io::documents
