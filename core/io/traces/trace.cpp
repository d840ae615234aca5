// SPDX-License-Identifier: Apache-2.0
#include "core/io/traces/trace.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>

#include "core/io/json/value.hpp"
#include "core/io/text/decimal.hpp"
#include "core/io/text/utf8.hpp"

namespace pipedeck::io::traces {
namespace {

/// A group of tracks, as trace viewers have processes. Their numbers are in the order in which they are to be shown.
enum class Group { compute = 1, collective, link, memory };

/// Viewers take a thread whose number is a process's for the main thread of that one.
constexpr int first_track = 101;

Group group_of(LaneRole role) { return static_cast<Group>(static_cast<int>(role) + 1); }

std::string_view name_of(Group group) {
  switch (group) {
    case Group::compute:
      return "devices";
    case Group::collective:
      return "all-reduces";
    case Group::link:
      return "links";
    case Group::memory:
      return "memory";
  }
  return "?";
}

std::string quote(std::string_view text) { return json::compact(json::Value(text::to_utf8(text))); }

std::string microseconds(std::int64_t nanoseconds) { return text::integer_to_decimal(nanoseconds, 3); }

/// The events as text, one a line.
class Events {
 public:
  void name_group(Group group) {
    describe("process_name", group, 0, fmt::format("\"name\":{}", quote(name_of(group))));
    describe("process_sort_index", group, 0, fmt::format("\"sort_index\":{}", static_cast<int>(group)));
  }

  int new_track(Group group, const std::string& name) {
    const int track = next_track_++;
    describe("thread_name", group, track, fmt::format("\"name\":{}", quote(name)));
    describe("thread_sort_index", group, track, fmt::format("\"sort_index\":{}", track));
    return track;
  }

  void operation(Group group, int track, const TimelineRow& row) {
    const std::string_view kind = pipedeck::name_of(row.operation.kind);
    next();
    fmt::format_to(std::back_inserter(text_),
                   R"({{"name":"{} {}","cat":"{}","ph":"X","ts":{},"dur":{},"pid":{},"tid":{},)"
                   R"("args":{{"stage":{},"micro_batch":{}}}}})",
                   kind, row.operation.micro_batch, kind, microseconds(row.start.count),
                   microseconds(row.duration.count), static_cast<int>(group), track, row.operation.stage.value,
                   row.operation.micro_batch);
  }

  /// A point of an arrow: 's' where it begins, 't' on its way, 'f' where it ends; in the operation that runs then.
  void arrow(char phase, int id, Group group, int track, std::int64_t time) {
    next();
    fmt::format_to(std::back_inserter(text_),
                   R"({{"name":"transfer","cat":"transfer","ph":"{}",{}"id":{},"ts":{},"pid":{},"tid":{}}})", phase,
                   phase == 'f' ? "\"bp\":\"e\"," : "", id, microseconds(time), static_cast<int>(group), track);
  }

  void memory(DeviceId device, const MemoryPoint& point) {
    next();
    fmt::format_to(std::back_inserter(text_),
                   R"({{"name":"device {}","ph":"C","ts":{},"pid":{},"args":{{"bytes":{}}}}})", device.value,
                   microseconds(point.time.count), static_cast<int>(Group::memory), point.bytes.count);
  }

  std::string take() { return std::move(text_); }

 private:
  void describe(std::string_view what, Group group, int track, const std::string& arguments) {
    next();
    fmt::format_to(std::back_inserter(text_), R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{{}}}}})", what,
                   static_cast<int>(group), track == 0 ? static_cast<int>(group) : track, arguments);
  }
  void next() { text_ += text_.empty() ? "\n" : ",\n"; }

  std::string text_;
  int next_track_ = first_track;
};

/// Where the operations of one lane go: into the first track that is free when they begin.
class Tracks {
 public:
  Tracks(Events& events, Group group, std::string name) : events_(events), group_(group), name_(std::move(name)) {
    tracks_.push_back({events_.new_track(group_, name_), std::numeric_limits<std::int64_t>::min()});
  }

  int track_at(std::int64_t start, std::int64_t end) {
    for (Track& track : tracks_)
      if (track.end <= start) {
        track.end = end;
        return track.number;
      }
    tracks_.push_back({events_.new_track(group_, fmt::format("{} ({})", name_, tracks_.size() + 1)), end});
    return tracks_.back().number;
  }

 private:
  struct Track {
    int number = 0;
    std::int64_t end = 0;
  };
  Events& events_;
  Group group_;
  std::string name_;
  std::vector<Track> tracks_;
};

/// Arrows from the pass that gave what a transfer carries, through the transfer, to the first pass that takes it.
class Arrows {
 public:
  void add(const TimelineRow& row, LaneRole role, int track) {
    if (row.duration.count == 0) return;  // an arrow would meet the next operation
    const Placed placed{row.operation.stage.value, row.operation.micro_batch, row.start.count, row.end().count, track};
    if (role == LaneRole::link) transfers_.push_back(placed);
    if (role != LaneRole::compute) return;
    if (row.operation.kind == OpKind::forward) passes_[0].push_back(placed);
    if (row.operation.kind == OpKind::backward || row.operation.kind == OpKind::backward_input)
      passes_[1].push_back(placed);
  }

  void write(Events& events) && {
    for (std::vector<Placed>& passes : passes_) std::ranges::stable_sort(passes, {}, key_of);
    int id = 0;
    for (const Placed& transfer : transfers_) {
      const Placed* given = nullptr;
      int step = 0;  // to the next stage, or a gradient to the one before
      for (const int pass : {0, 1})
        if (const Placed* found = last_before(pass, transfer); found && (!given || found->end > given->end)) {
          given = found;
          step = pass == 0 ? 1 : -1;
        }
      const Placed* taken = given ? first_behind(step > 0 ? 0 : 1, transfer, step) : nullptr;
      if (!taken) continue;
      ++id;
      // Within the operation, not at its end, where the next one begins.
      events.arrow('s', id, Group::compute, given->track, given->end - 1);
      events.arrow('t', id, Group::link, transfer.track, transfer.start);
      events.arrow('f', id, Group::compute, taken->track, taken->start);
    }
  }

 private:
  struct Placed {
    int stage = 0, micro_batch = 0;
    std::int64_t start = 0, end = 0;
    int track = 0;
  };
  static std::pair<int, int> key_of(const Placed& one) { return {one.stage, one.micro_batch}; }

  /// For a stage's micro-batch. Not equal_range: clang 14 can't read this library's subrange.
  std::span<const Placed> passes_of(int pass, const std::pair<int, int>& key) const {
    const std::vector<Placed>& all = passes_[static_cast<std::size_t>(pass)];
    const auto first = std::ranges::lower_bound(all, key, {}, key_of);
    return {first, std::ranges::upper_bound(all, key, {}, key_of)};
  }
  const Placed* last_before(int pass, const Placed& transfer) const {
    const Placed* last = nullptr;
    for (const Placed& one : passes_of(pass, key_of(transfer)))
      if (one.end <= transfer.start && (!last || one.end > last->end)) last = &one;
    return last;
  }
  const Placed* first_behind(int pass, const Placed& transfer, int step) const {
    const Placed* first = nullptr;
    const std::pair<int, int> key{transfer.stage + step, transfer.micro_batch};
    for (const Placed& one : passes_of(pass, key))
      if (one.start >= transfer.end && (!first || one.start < first->start)) first = &one;
    return first;
  }

  std::array<std::vector<Placed>, 2> passes_;  ///< forward, backward
  std::vector<Placed> transfers_;
};

std::string lane_name(const TimelineLane& lane) {
  if (lane.role == LaneRole::link) return fmt::format("{} to {}", lane.device.value, lane.to.value);
  return fmt::format("device {}", lane.device.value);
}

/// A device that has several stages may all-reduce the gradients of some at once: a track for each.
void add_lane(Events& events, Arrows& arrows, const Timeline& timeline, const TimelineLane& lane) {
  const Group group = group_of(lane.role);
  const auto stage_of = [&](std::size_t i) { return lane.role == LaneRole::collective ? int{timeline.stage[i]} : 0; };
  std::set<int> stages;
  for (std::size_t i = lane.begin; i < lane.end; ++i) stages.insert(stage_of(i));
  std::map<int, Tracks> of_stage;
  for (const int stage : stages)
    of_stage.try_emplace(stage, events, group,
                         stages.size() == 1 ? lane_name(lane) : fmt::format("{}, stage {}", lane_name(lane), stage));
  for (std::size_t i = lane.begin; i < lane.end; ++i) {
    const TimelineRow row = timeline.row(i);
    const int track = of_stage.at(stage_of(i)).track_at(row.start.count, row.end().count);
    events.operation(group, track, row);
    arrows.add(row, lane.role, track);
  }
}

using About = std::vector<std::pair<std::string, std::string>>;

About about(const std::string& title) { return {{"title", title}}; }

About about(const Simulation& simulation, const std::string& title, const Plan* plan) {
  About lines = about(title);
  if (plan) {
    lines.emplace_back("planner", plan->planner);
    lines.emplace_back("profile", plan->profile);
    lines.emplace_back("cluster", plan->cluster);
    lines.emplace_back("shape", stage_shape_text(*plan));
    lines.emplace_back("schedule", pipedeck::name_of(plan->schedule));
    lines.emplace_back("micro-batches", fmt::format("{} of {}", plan->micro_batches, plan->micro_batch));
  }
  lines.emplace_back("network", pipedeck::name_of(simulation.network));
  lines.emplace_back("overlap", pipedeck::name_of(simulation.overlap));
  lines.emplace_back("collectives", pipedeck::name_of(simulation.collectives));
  lines.emplace_back("iteration_ms", text::integer_to_decimal(simulation.iteration.count, 6));
  return lines;
}

std::string document(const Timeline& timeline, std::span<const SimulatedDevice> devices, const About& about) {
  Events events;
  for (const Group group : {Group::compute, Group::collective, Group::link}) events.name_group(group);
  if (!devices.empty()) events.name_group(Group::memory);
  Arrows arrows;
  for (const TimelineLane& lane : timeline.lanes) add_lane(events, arrows, timeline, lane);
  std::move(arrows).write(events);
  for (const SimulatedDevice& device : devices)
    for (const MemoryPoint& point : device.curve) events.memory(device.device, point);
  std::string text = "{\"displayTimeUnit\":\"ms\",\n\"otherData\":{";
  for (const auto& [key, value] : about)
    text += fmt::format("{}{}:{}", key == about.front().first ? "" : ",", quote(key), quote(value));
  return text + "},\n\"traceEvents\":[" + events.take() + "\n]}\n";
}

}  // namespace

std::string chrome_trace(const Timeline& timeline, const std::string& title) {
  return document(timeline, {}, about(title));
}

std::string chrome_trace(const Simulation& simulation, const std::string& title, const Plan* plan) {
  return document(simulation.timeline, simulation.devices, about(simulation, title, plan));
}

}  // namespace pipedeck::io::traces
