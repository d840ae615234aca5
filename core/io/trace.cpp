// SPDX-License-Identifier: Apache-2.0
#include "core/io/trace.hpp"

#include <fmt/format.h>

#include "core/io/decimal.hpp"
#include "core/io/json_writer.hpp"

namespace pipedeck {
namespace {

using json::ObjectWriter;
using json::Value;

/// Trace processes: what runs on devices, their all-reduces, the links.
int process_of(LaneRole role) { return static_cast<int>(role) + 1; }

std::string_view process_name(LaneRole role) {
  switch (role) {
    case LaneRole::compute:
      return "devices";
    case LaneRole::collective:
      return "all-reduce";
    case LaneRole::link:
      return "links";
  }
  return "?";
}

std::string thread_name(const TimelineLane& lane) {
  if (lane.role == LaneRole::link) return fmt::format("{} to {}", lane.device.value, lane.to.value);
  return fmt::format("device {}", lane.device.value);
}

Value metadata(std::string_view what, int process, int thread, std::string_view name) {
  return ObjectWriter()
      .add("name", what)
      .add("ph", "M")
      .add("pid", process)
      .add("tid", thread)
      .add("args", ObjectWriter().add("name", name).finish())
      .finish();
}

/// A complete event; times are microseconds, with the nanoseconds behind the point.
Value event(const TimelineRow& row, int process, int thread) {
  ObjectWriter arguments;
  arguments.add("stage", row.operation.stage.value).add("micro_batch", row.operation.micro_batch);
  return ObjectWriter()
      .add("name", fmt::format("{} {}", name_of(row.operation.kind), row.operation.micro_batch))
      .add("cat", name_of(row.operation.kind))
      .add("ph", "X")
      .add("ts", json::Number{integer_to_decimal(row.start.count, 3)})
      .add("dur", json::Number{integer_to_decimal(row.duration.count, 3)})
      .add("pid", process)
      .add("tid", thread)
      .add("args", arguments.finish())
      .finish();
}

}  // namespace

std::string chrome_trace(const Timeline& timeline, const std::string& title) {
  json::List events;
  events.reserve(timeline.size() + timeline.lanes.size() + 3);
  for (const LaneRole role : {LaneRole::compute, LaneRole::collective, LaneRole::link})
    events.push_back(metadata("process_name", process_of(role), 0, process_name(role)));
  int links = 0;
  for (const TimelineLane& lane : timeline.lanes) {
    const int process = process_of(lane.role);
    const int thread = lane.role == LaneRole::link ? links++ : lane.device.value;
    events.push_back(metadata("thread_name", process, thread, thread_name(lane)));
    for (std::size_t i = lane.begin; i < lane.end; ++i) events.push_back(event(timeline.row(i), process, thread));
  }
  ObjectWriter out;
  out.add("displayTimeUnit", "ms").add("otherData", ObjectWriter().add("title", title).finish());
  return json::compact(out.add("traceEvents", std::move(events)).finish()) + '\n';
}

}  // namespace pipedeck
