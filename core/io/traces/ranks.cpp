// SPDX-License-Identifier: Apache-2.0
#include "core/io/traces/ranks.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace pipedeck::io::traces {
namespace {

constexpr std::int64_t max_clock_skew = 86'400'000'000'000;  // ns, a day: clocks that differ by more are not one

/// A step of one rank.
struct Part {
  std::int64_t start = 0;  ///< ns, on its machine's clock
  const Timeline* timeline = nullptr;
};

/// Every rank once, and every device of one rank alone.
Result<void> check(const std::vector<ParsedTrace>& traces, const std::vector<std::string>& files) {
  std::map<int, std::string> ranks, devices;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const auto refuse = [&](std::string message) {
      return fail(ErrorCode::bad_input, std::move(message), {}, files[i]);
    };
    if (!traces[i].rank)
      return refuse("found no rank (\"distributedInfo\"), expected one: several traces are those of one run's ranks");
    const auto [rank, first] = ranks.emplace(*traces[i].rank, files[i]);
    if (!first)
      return refuse(fmt::format("found rank {} in {} too, expected traces of different ranks of one run", rank->first,
                                rank->second));
    std::set<int> own;
    for (const MeasuredTimeline& step : traces[i].timelines)
      for (const TimelineLane& lane : step.timeline.lanes) own.insert(lane.device.value);
    for (const int number : own) {
      const auto [device, free] = devices.emplace(number, files[i]);
      if (!free)
        return refuse(fmt::format("found device {} in {} too, expected traces of different ranks of one run", number,
                                  device->second));
    }
  }
  return {};
}

/// Returns true if the ranks ran at the same time by their clocks: the last began before the first ended.
bool share_a_clock(const std::vector<Part>& parts) {
  const auto ends = std::ranges::minmax(parts, {}, &Part::start);
  return ends.max.start - ends.min.start <= max_clock_skew && std::ranges::all_of(parts, [&](const Part& part) {
           return ends.max.start - part.start <= part.timeline->makespan().count;
         });
}

Timeline joined(const std::vector<Part>& parts, bool one_clock) {
  struct Lane {
    TimelineLane lane;
    const Timeline* timeline;
    std::int64_t later;
  };
  const std::int64_t first = std::ranges::min(parts, {}, &Part::start).start;
  std::vector<Lane> lanes;
  for (const Part& part : parts)
    for (const TimelineLane& lane : part.timeline->lanes)
      lanes.push_back({lane, part.timeline, one_clock ? part.start - first : 0});
  std::ranges::stable_sort(lanes, {},
                           [](const Lane& lane) { return std::tuple(lane.lane.role, lane.lane.device.value); });
  Timeline all;
  std::vector<TimelineRow> rows;
  for (const Lane& from : lanes) {
    rows.clear();
    for (std::size_t i = from.lane.begin; i < from.lane.end; ++i) {
      rows.push_back(from.timeline->row(i));
      rows.back().start.count += from.later;
    }
    all.append_lane(from.lane, rows);
  }
  return all;
}

void add_notes(ParsedTrace& result, const std::vector<ParsedTrace>& traces) {
  for (const ParsedTrace& trace : traces)
    for (const std::string& note : trace.notes)
      if (std::ranges::find(result.notes, note) == result.notes.end()) result.notes.push_back(note);
}

}  // namespace

bool are_ranks_of_one_run(std::span<const ParsedTrace> traces) {
  std::set<int> ranks;
  for (const ParsedTrace& trace : traces)
    if (!trace.rank || !ranks.insert(*trace.rank).second) return false;
  return traces.size() > 1;
}

Result<ParsedTrace> join_ranks(std::vector<ParsedTrace> traces, const std::vector<std::string>& files) {
  TRY_VOID(check(traces, files));
  std::map<int, std::vector<Part>> steps;
  for (const ParsedTrace& trace : traces)
    for (std::size_t i = 0; i < trace.timelines.size(); ++i)
      steps[trace.timelines[i].step].push_back({trace.starts[i], &trace.timelines[i].timeline});
  const std::size_t alone = std::erase_if(steps, [&](const auto& step) { return step.second.size() < traces.size(); });
  if (steps.empty())
    return fail(ErrorCode::bad_input, "found no step that all ranks have, expected one at least", {}, files.back());
  const bool one_clock = std::ranges::all_of(steps, [](const auto& step) { return share_a_clock(step.second); });
  ParsedTrace result;
  result.title = traces.front().title;
  for (const ParsedTrace& trace : traces) result.events += trace.events;
  for (const auto& [number, parts] : steps) {
    result.timelines.push_back({number, joined(parts, one_clock)});
    result.starts.push_back(std::ranges::min(parts, {}, &Part::start).start);
    result.operations += result.timelines.back().timeline.size();
  }
  result.notes.push_back(fmt::format("{} ranks of one run", traces.size()));
  if (!one_clock)
    result.notes.push_back(
        "The ranks' clocks differ by more than a step lasts: each rank is drawn from its own begin of a step");
  if (alone > 0) result.notes.push_back(fmt::format("Steps that not all ranks have, left out: {}", alone));
  add_notes(result, traces);
  return result;
}

Result<std::vector<ParsedTrace>> read_each_trace(const std::vector<std::string>& files, const std::stop_token& stop,
                                                 const Progress& progress) {
  std::vector<ParsedTrace> traces;
  for (const std::string& file : files) {
    const auto done = static_cast<double>(traces.size());
    auto trace = read_trace(file, stop, [&](double part, std::string_view what) {
      report(progress, (done + part) / static_cast<double>(files.size()), what);
    });
    if (!trace) return tl::unexpected(std::move(trace.error()));
    traces.push_back(*std::move(trace));
  }
  return traces;
}

Result<ParsedTrace> read_traces(const std::vector<std::string>& files, const std::stop_token& stop,
                                const Progress& progress) {
  auto traces = read_each_trace(files, stop, progress);
  if (!traces) return tl::unexpected(std::move(traces.error()));
  if (traces->size() == 1) return std::move(traces->front());
  return join_ranks(*std::move(traces), files);
}

}  // namespace pipedeck::io::traces
