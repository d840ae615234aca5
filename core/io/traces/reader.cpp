// SPDX-License-Identifier: Apache-2.0
#include "core/io/traces/reader.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "core/io/traces/spans.hpp"

namespace pipedeck::io::traces {
namespace {

/// Returns one step per number, in order: the host's where there are any.
std::vector<Step> steps_in_order(std::vector<Step> steps) {
  if (!std::ranges::all_of(steps, &Step::on_device)) std::erase_if(steps, &Step::on_device);
  std::ranges::sort(steps, {}, &Step::start);
  std::set<int> numbers;
  std::erase_if(steps, [&](const Step& step) { return !numbers.insert(step.number).second; });
  return steps;
}

/// From 0. Gives where they began.
std::int64_t move_to_start(std::vector<Span>& spans) {
  const std::int64_t first = std::ranges::min(spans, {}, &Span::start).start;
  for (Span& span : spans) span.start -= first;
  return first;
}

/// A rank's work is of one device, unless the trace has several. True: so it is.
bool place_on_lane(const std::optional<int>& device, std::vector<Span>& spans) {
  const bool one = std::ranges::all_of(spans, [&](const Span& s) { return s.device == spans[0].device; });
  if (!one || !device) return false;
  for (Span& span : spans) span.device = *device;
  return true;
}

std::optional<int> number_in(const std::optional<std::int64_t>& told) {
  if (!told) return std::nullopt;
  return static_cast<int>(std::clamp<std::int64_t>(*told, 0, 65'535));
}

/// Annotations lie in one another: only the outermost of a thread are operations.
std::vector<Span> outermost(std::vector<Span> spans) {
  std::ranges::sort(spans, [](const Span& a, const Span& b) {
    if (a.track != b.track) return a.track < b.track;
    return a.start != b.start ? a.start < b.start : a.duration > b.duration;
  });
  std::vector<Span> outer;
  for (const Span& span : spans) {
    const bool within = !outer.empty() && outer.back().track == span.track && span.start < outer.back().end();
    if (!within) outer.push_back(span);
  }
  return outer;
}

std::vector<Span> operators_of(Spans& spans) {
  std::vector<Span> outer = outermost(std::move(spans.operators));
  for (Span& span : outer)
    if (spans.autograd.contains(span.track) && span.kind == OpKind::forward) span.kind = OpKind::backward;
  return outer;
}

/// Adds a timeline for each step; the spans are placed in them.
void add_steps(ParsedTrace& result, std::vector<Span> spans, const std::vector<Step>& steps, bool on_devices) {
  std::size_t hidden = 0, outside = 0;
  const auto add = [&](std::vector<Span> part, int number) {
    if (part.empty()) return;
    result.starts.push_back(move_to_start(part));
    Timeline timeline = traces::lanes_of(std::move(part), on_devices, hidden);
    result.operations += timeline.size();
    result.timelines.push_back({number, std::move(timeline)});
  };
  if (steps.empty()) {
    add(std::move(spans), 1);
  } else {
    std::ranges::sort(
        spans, [](const Span& a, const Span& b) { return a.step != b.step ? a.step < b.step : a.start < b.start; });
    auto at = std::ranges::lower_bound(spans, 1U, {}, &Span::step);
    outside = static_cast<std::size_t>(at - spans.begin());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto end = std::ranges::upper_bound(at, spans.end(), static_cast<std::uint32_t>(i + 1), {}, &Span::step);
      add(std::vector<Span>(at, end), steps[i].number);
      at = end;
    }
    if (result.timelines.size() > 1)
      result.notes.push_back(fmt::format("{} steps, a timeline each", result.timelines.size()));
  }
  if (outside > 0) result.notes.push_back(fmt::format("{} operations before the first step were left out", outside));
  if (hidden > 0)
    result.notes.push_back(
        fmt::format("{} operations that ran entirely during another one of their device are not drawn", hidden));
}

/// `device` is the one that a rank's work is of.
Result<void> add_operations(ParsedTrace& result, Spans& spans, const std::optional<int>& device) {
  if (!spans.own.empty()) {
    TRY(auto timeline, traces::lanes_by_name(spans));
    result.operations = timeline.size();
    result.timelines.push_back({1, std::move(timeline)});
    result.starts.push_back(0);
    return {};
  }
  const std::vector<Step> steps = steps_in_order(std::move(spans.steps));
  if (!spans.kernels.empty()) {
    traces::place_kernels(spans, steps);
    traces::classify_kernels(spans);
    const auto untold = std::ranges::count(spans.kernels, false, &Span::told);
    if (untold > 0)
      result.notes.push_back(
          fmt::format("{} of {} kernels have no annotation of forward, backward or optimizer; they are classified by "
                      "name, else drawn as forward",
                      untold, spans.kernels.size()));
    place_on_lane(device, spans.kernels);
    add_steps(result, std::move(spans.kernels), steps, true);
    return {};
  }
  // PyTorch itself annotates its optimizers: alone they are no iteration.
  const bool passes = std::ranges::any_of(spans.annotations, [](const Span& s) { return s.kind != OpKind::optimizer; });
  if (passes || (spans.operators.empty() && !spans.annotations.empty())) {
    result.notes.push_back("no GPU kernels: the annotations of forward, backward and optimizer are drawn");
    std::vector<Span> outer = outermost(std::move(spans.annotations));
    const bool on_device = place_on_lane(device, outer);
    traces::place_in_steps(outer, steps);
    add_steps(result, std::move(outer), steps, on_device);
    return {};
  }
  if (!spans.operators.empty()) {
    result.notes.push_back("no kernels of a GPU and no annotations of passes: the outermost operators are drawn");
    std::ranges::copy(spans.annotations, std::back_inserter(spans.operators));
    std::vector<Span> outer = operators_of(spans);
    const bool on_device = place_on_lane(device, outer);
    traces::place_in_steps(outer, steps);
    add_steps(result, std::move(outer), steps, on_device);
    return {};
  }
  return fail(
      ErrorCode::bad_input,
      fmt::format(
          "found no operations among {} events, expected kernels of a GPU (PyTorch's profiler with "
          "ProfilerActivity.CUDA) or events named forward, backward or optimizer (torch.profiler.record_function)",
          spans.events));
}

}  // namespace

Result<ParsedTrace> read_trace(const std::string& path, const std::stop_token& stop, const Progress& progress) {
  traces::Collector collector;
  TRY(auto head, read_trace_events(
                     path, [&](const Event& event) { return collector.take(event); }, stop, progress));
  Spans spans = collector.finish();
  ParsedTrace result;
  result.title = std::move(head.title);
  result.events = spans.events;
  result.rank = number_in(head.rank);
  auto added = add_operations(result, spans, number_in(head.planned_device ? head.planned_device : head.rank));
  for (std::int64_t& start : result.starts) start += head.base;
  if (!added) {
    added.error().file = path;
    return tl::unexpected(std::move(added.error()));
  }
  if (result.operations > 0) return result;
  return fail(ErrorCode::bad_input, "found no operations within the trace's steps, expected some", {}, path);
}

std::vector<RunEvent> run_of_trace(ParsedTrace trace) {
  std::vector<RunEvent> events;
  RunStarted started;
  started.plan = std::move(trace.title);
  started.steps = static_cast<int>(trace.timelines.size());
  std::set<DeviceId> devices;  // of all steps and lanes: a trace may have transfers alone
  for (const MeasuredTimeline& timeline : trace.timelines)
    for (const TimelineLane& lane : timeline.timeline.lanes) devices.insert(lane.device);
  started.devices = static_cast<int>(devices.size());
  events.emplace_back(std::move(started));
  for (std::string& note : trace.notes) events.emplace_back(RunWarning{std::move(note)});
  RunFinished finished;
  finished.steps = static_cast<int>(trace.timelines.size());
  std::vector<Nanoseconds> lengths;
  for (MeasuredTimeline& timeline : trace.timelines) {
    lengths.push_back(timeline.timeline.makespan());
    finished.duration = finished.duration + to_seconds(lengths.back());
    events.emplace_back(std::move(timeline));
  }
  std::ranges::sort(lengths);
  finished.median_step = to_seconds(lengths[lengths.size() / 2]);
  events.emplace_back(std::move(finished));
  return events;
}

}  // namespace pipedeck::io::traces
