// SPDX-License-Identifier: Apache-2.0
#include "core/io/traces/spans.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/format.h>

namespace pipedeck::io::traces {
namespace {

/// The innermost of a track's nested spans at an instant, for instants that only grow.
class Nested {
 public:
  explicit Nested(std::vector<Span> spans) : spans_(std::move(spans)) {
    std::ranges::sort(spans_, [](const Span& a, const Span& b) {
      return a.start != b.start ? a.start < b.start : a.duration > b.duration;
    });
  }

  const Span* at(std::int64_t time) {
    for (; next_ < spans_.size() && spans_[next_].start <= time; ++next_) {
      while (!open_.empty() && open_.back()->end() <= spans_[next_].start) open_.pop_back();
      open_.push_back(&spans_[next_]);
    }
    while (!open_.empty() && open_.back()->end() <= time) open_.pop_back();
    return open_.empty() ? nullptr : open_.back();
  }

 private:
  std::vector<Span> spans_;
  std::vector<const Span*> open_;
  std::size_t next_ = 0;
};

LaneRole role_of(OpKind kind) {
  if (kind == OpKind::all_reduce) return LaneRole::collective;
  return kind == OpKind::send || kind == OpKind::receive ? LaneRole::link : LaneRole::compute;
}

void assign_to_lane(Span& kernel, const Span& annotation) {
  kernel.kind = annotation.kind;
  kernel.micro_batch = annotation.micro_batch;
  kernel.stage = annotation.stage;
  kernel.told = true;
}

bool is_backward(OpKind kind) {
  return kind == OpKind::backward || kind == OpKind::backward_input || kind == OpKind::backward_weight;
}

/// The annotations over a launch on each track. Autograd has threads of its own, while the thread that called it waits
/// within its annotation ("Backward 3"): that one counts for them too.
std::map<std::uint32_t, std::vector<Span>> annotations_for_launches(const Spans& spans) {
  std::map<std::uint32_t, std::vector<Span>> of_track;
  for (const Span& span : spans.annotations) {
    of_track[span.track].push_back(span);
    if (!is_backward(span.kind)) continue;
    for (const std::uint32_t track : spans.autograd)
      if (track != span.track && spans.tracks[track].process == spans.tracks[span.track].process)
        of_track[track].push_back(span);
  }
  return of_track;
}

std::uint32_t steps_before(const std::vector<Step>& steps, std::int64_t time) {
  return static_cast<std::uint32_t>(std::ranges::upper_bound(steps, time, {}, &Step::start) - steps.begin());
}

/// Returns the launch of a kernel, or null. The launches are sorted by correlation.
const Launch* launch_of(const Spans& spans, const Span& kernel) {
  if (kernel.correlation == 0) return nullptr;
  const auto launch = std::ranges::lower_bound(spans.launches, kernel.correlation, {}, &Launch::correlation);
  return launch != spans.launches.end() && launch->correlation == kernel.correlation ? &*launch : nullptr;
}

/// Kinds by thread and time of the launch; those launched under nothing stay untold.
void classify_by_launch(Spans& spans) {
  std::map<std::uint32_t, std::vector<Span>> of_track = annotations_for_launches(spans);
  struct Question {
    std::uint32_t track;
    std::int64_t time;
    Span* kernel;
  };
  std::vector<Question> questions;
  for (Span& kernel : spans.kernels) {
    if (kernel.told) continue;
    if (const Launch* const launch = launch_of(spans, kernel))
      questions.push_back({launch->track, launch->time, &kernel});
  }
  std::ranges::sort(questions, [](const Question& a, const Question& b) {
    return std::tie(a.track, a.time) < std::tie(b.track, b.time);
  });
  std::optional<Nested> nested;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto& [track, time, kernel] = questions[i];
    if (i == 0 || questions[i - 1].track != track) nested.emplace(std::move(of_track[track]));
    const bool backward = spans.autograd.contains(track);
    const Span* const under = nested->at(time);
    if (!under && !backward) continue;
    if (under) {
      assign_to_lane(*kernel, *under);
    } else {
      kernel->kind = OpKind::backward;
      kernel->told = true;
    }
  }
}

}  // namespace

void place_in_steps(std::vector<Span>& spans, const std::vector<Step>& steps) {
  for (Span& span : spans) span.step = steps_before(steps, span.start);
}

void place_kernels(Spans& spans, const std::vector<Step>& steps) {
  std::ranges::sort(spans.launches, {}, &Launch::correlation);
  if (steps.empty() || steps.front().on_device) return place_in_steps(spans.kernels, steps);
  std::ranges::sort(spans.kernels, [](const Span& a, const Span& b) {
    return std::tie(a.track, a.start) < std::tie(b.track, b.start);
  });
  // Correlations grow: a smaller one than any launch has was launched before the recording.
  const std::uint32_t first = spans.launches.empty() ? 0 : spans.launches.front().correlation;
  const Span* launched = nullptr;  // the last one of a launch
  for (Span& kernel : spans.kernels) {
    if (kernel.correlation > 0 && kernel.correlation < first) {
      kernel.step = 0;
    } else if (const Launch* const launch = launch_of(spans, kernel)) {
      kernel.step = steps_before(steps, std::min(launch->time, kernel.start));
      launched = &kernel;
    } else {
      const bool follows = launched && launched->track == kernel.track;
      kernel.step = follows ? launched->step : steps_before(steps, kernel.start);
    }
  }
}

void classify_kernels(Spans& spans) {
  // Annotations on the device itself ("gpu_user_annotation") are on the kernels' own track.
  std::map<std::uint32_t, std::vector<Span>> of_track;
  for (const Span& span : spans.annotations) of_track[span.track].push_back(span);
  std::vector<Span*> kernels;
  for (Span& kernel : spans.kernels)
    if (!kernel.told && of_track.contains(kernel.track)) kernels.push_back(&kernel);
  std::ranges::sort(kernels, [](const Span* a, const Span* b) {
    return std::tie(a->track, a->start) < std::tie(b->track, b->start);
  });
  std::optional<Nested> nested;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (i == 0 || kernels[i - 1]->track != kernels[i]->track) nested.emplace(of_track[kernels[i]->track]);
    const Span* const under = nested->at(kernels[i]->start);
    if (!under) continue;
    assign_to_lane(*kernels[i], *under);
  }
  classify_by_launch(spans);
}

Timeline lanes_of(std::vector<Span> spans, bool on_devices, std::size_t& hidden) {
  const auto lane_key = [](const Span& span) { return std::pair(role_of(span.kind), span.device); };
  if (!on_devices) {  // processes and threads in order become devices 0, 1, ...
    std::map<std::int32_t, std::int32_t> numbers;
    for (const Span& span : spans) numbers.try_emplace(span.device);
    std::int32_t next = 0;
    for (auto& [process, number] : numbers) number = next++;
    for (Span& span : spans) span.device = numbers[span.device];
  }
  std::ranges::sort(spans, [&](const Span& a, const Span& b) {
    const auto ka = lane_key(a), kb = lane_key(b);
    if (ka != kb) return ka < kb;
    return a.start != b.start ? a.start < b.start : a.duration > b.duration;
  });
  Timeline timeline;
  std::vector<TimelineRow> rows;
  for (std::size_t i = 0; i < spans.size();) {
    const auto key = lane_key(spans[i]);
    rows.clear();
    std::int64_t free = spans[i].start;
    for (; i < spans.size() && lane_key(spans[i]) == key; ++i) {
      const std::int64_t start = std::max(spans[i].start, free);
      if (start >= spans[i].end() && spans[i].duration > 0) {
        ++hidden;
        continue;
      }
      free = std::max(start, spans[i].end());
      rows.push_back({Nanoseconds(start),
                      Nanoseconds(free - start),
                      {spans[i].kind, StageId(std::int32_t{spans[i].stage}), spans[i].micro_batch}});
    }
    const DeviceId device(key.second);
    timeline.append_lane({key.first, device, device, 0, 0}, rows);
  }
  return timeline;
}

namespace {

/// "device 3", "device 3, stage 1 (2)" or "0 to 1".
std::optional<TimelineLane> find_lane(std::string_view name, OpKind kind) {
  TimelineLane lane;
  lane.role = role_of(kind);
  const auto number = [&](std::int32_t& value) {
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), value);
    if (problem != std::errc() || value < 0) return false;
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    return true;
  };
  const auto skip = [&](std::string_view word) {
    if (!name.starts_with(word)) return false;
    name.remove_prefix(word.size());
    return true;
  };
  if (lane.role != LaneRole::link && !skip("device ")) return std::nullopt;
  std::int32_t from = 0;
  if (!number(from)) return std::nullopt;
  lane.device = lane.to = DeviceId(from);
  if (lane.role != LaneRole::link) return lane;
  std::int32_t to = 0;
  if (!skip(" to ") || !number(to)) return std::nullopt;
  lane.to = DeviceId(to);
  return lane;
}

}  // namespace

Result<Timeline> lanes_by_name(const Spans& spans) {
  struct Row {
    LaneRole role;
    std::int32_t device, to;
    const Span* span;
  };
  std::vector<Row> rows;
  rows.reserve(spans.own.size());
  for (const Span& span : spans.own) {
    const auto lane = find_lane(spans.names[span.track], span.kind);
    if (!lane)
      return fail(ErrorCode::bad_input,
                  fmt::format("found operations on a track named '{}', expected \"device 3\" or \"0 to 1\"",
                              spans.names[span.track]));
    rows.push_back({lane->role, lane->device.value, lane->to.value, &span});
  }
  const auto key = [](const Row& row) { return std::tuple(row.role, row.device, row.to); };
  std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
    return key(a) != key(b) ? key(a) < key(b) : a.span->start < b.span->start;
  });
  Timeline timeline;
  std::vector<TimelineRow> of_lane;
  for (std::size_t i = 0; i < rows.size();) {
    const Row& first = rows[i];
    of_lane.clear();
    for (; i < rows.size() && key(rows[i]) == key(first); ++i) {
      const Span& span = *rows[i].span;
      of_lane.push_back({Nanoseconds(span.start),
                         Nanoseconds(span.duration),
                         {span.kind, StageId(std::int32_t{span.stage}), span.micro_batch}});
    }
    timeline.append_lane({first.role, DeviceId(first.device), DeviceId(first.to), 0, 0}, of_lane);
  }
  return timeline;
}

}  // namespace pipedeck::io::traces
