// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "core/io/traces/names.hpp"
#include "core/io/traces/spans.hpp"

namespace pipedeck::io::traces {
namespace {

constexpr std::size_t max_span_tracks = 65'536;
constexpr std::size_t max_span_names = 4096;
constexpr std::size_t max_open = 4096;  // begun on one track and not ended

tl::unexpected<Error> refuse(const Event& event, std::string message) {
  return fail(ErrorCode::bad_input, std::move(message), fmt::format("event {}", event.number));
}

std::uint16_t whole_stage(std::int64_t stage) {
  return static_cast<std::uint16_t>(std::clamp<std::int64_t>(stage, 0, 65'535));
}
std::int32_t whole(std::int64_t value) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, 0, std::numeric_limits<std::int32_t>::max()));
}

int number_after(std::string_view name, std::string_view prefix) {
  int number = 0;
  std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  return number;
}

}  // namespace

std::uint32_t Collector::track_of(const Event& event) {
  const Track track{event.process, event.thread};
  if (track == last_) return last_number_;
  const auto [found, added] = numbers_.try_emplace(track, static_cast<std::uint32_t>(spans_.tracks.size()));
  if (added) {
    spans_.tracks.push_back(track);
    spans_.names.emplace_back();
  }
  last_ = track;
  return last_number_ = found->second;
}

Result<void> Collector::take(const Event& event) {
  ++spans_.events;
  switch (event.phase) {
    case 'X':
      if (!event.start) return refuse(event, "found no \"ts\", expected microseconds");
      return take_complete(event, *event.start, event.duration, event.name, event.category);
    case 'B': {
      if (!event.start) return refuse(event, "found no \"ts\", expected microseconds");
      std::vector<Open>& open = open_[track_of(event)];
      if (open.size() >= max_open)
        return refuse(event, fmt::format("found {} events begun in one another, expected them to end", max_open));
      open.push_back({*event.start, std::string(event.name), std::string(event.category)});
      break;
    }
    case 'E':
      return take_end(event);
    case 'M':
      take_metadata(event);
      break;
    default:
      break;  // counters, flows, instants: no operations
  }
  if (spans_.tracks.size() > max_span_tracks)
    return refuse(event, fmt::format("found more than {} threads, expected a lane each", max_span_tracks));
  return {};
}

Result<void> Collector::take_end(const Event& event) {
  std::vector<Open>& open = open_[track_of(event)];
  if (open.empty()) return {};  // begun before the recording
  if (!event.start) return refuse(event, "found no \"ts\", expected microseconds");
  const Open begun = std::move(open.back());
  open.pop_back();
  if (*event.start < begun.start) return refuse(event, "found an end before its begin, expected it after");
  return take_complete(event, begun.start, *event.start - begun.start, begun.name, begun.category);
}

void Collector::take_metadata(const Event& event) {
  if (event.name == "thread_name") spans_.names[track_of(event)] = std::string(event.argument_name.substr(0, 200));
}

std::optional<NamedPass> Collector::classify_pass(std::string_view name) {
  name_.assign(name);
  const auto known = passes_.find(name_);
  if (known != passes_.end()) return known->second;
  if (passes_.size() >= max_span_names) passes_.clear();  // a file whose names are all different
  return passes_.emplace(name_, pass_in_name(name)).first->second;
}

Span Collector::classify_kernel(Span span, std::string_view name, std::string_view category) {
  if (is_copy(category)) {
    span.kind = OpKind::send;
    span.told = true;
  } else if (is_communication(name)) {
    if (span.kind != OpKind::send && span.kind != OpKind::receive) span.kind = OpKind::all_reduce;
    span.told = true;
  } else {
    span.told = false;  // a name is asked last
  }
  return span;
}

Result<void> Collector::take_complete(const Event& event, std::int64_t start, std::int64_t duration,
                                      std::string_view name, std::string_view category) {
  Span span{.start = start,
            .duration = duration,
            .micro_batch = whole(event.micro_batch.value_or(0)),
            .correlation = static_cast<std::uint32_t>(event.correlation.value_or(0)),
            .track = track_of(event),
            .device = whole(event.device.value_or(event.process)),
            .stage = whole_stage(event.stage.value_or(0)),
            .kind = OpKind::forward,
            .told = false};
  if (spans_.tracks.size() > max_span_tracks)
    return refuse(event, fmt::format("found more than {} threads, expected a lane each", max_span_tracks));
  if (const auto own = parse_op_kind(category); own && event.stage && event.micro_batch) {
    span.kind = *own;
    span.told = true;
    spans_.own.push_back(span);
    return {};
  }
  if (is_launch(category)) {
    if (span.correlation != 0) spans_.launches.push_back({span.correlation, span.track, start});
    return {};
  }
  const auto pass = classify_pass(name);
  span.kind = pass ? pass->kind : OpKind::forward;
  span.told = pass.has_value();
  if (is_kernel(category)) {
    spans_.kernels.push_back(classify_kernel(span, name, category));
    return {};
  }
  if (constexpr std::string_view step = "ProfilerStep#"; name.starts_with(step)) {
    spans_.steps.push_back({start, span.end(), number_after(name, step), category == "gpu_user_annotation"});
    return {};
  }
  if (is_operator(category)) {
    if (name.starts_with("autograd::engine")) spans_.autograd.insert(span.track);
    spans_.operators.push_back(span);
  } else if (pass) {
    if (!event.micro_batch) span.micro_batch = pass->micro_batch;
    if (!event.stage) span.stage = whole_stage(pass->stage);
    spans_.annotations.push_back(span);
  }
  return {};
}

Spans Collector::finish() { return std::move(spans_); }

}  // namespace pipedeck::io::traces
