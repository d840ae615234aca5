// SPDX-License-Identifier: Apache-2.0
// The stored part of a trace's events until all are read, and its conversion to lanes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/io/traces/events.hpp"
#include "core/io/traces/names.hpp"
#include "core/model/timeline.hpp"

namespace pipedeck::io::traces {

/// Where an event happened: "pid" and "tid".
struct Track {
  std::int64_t process = 0, thread = 0;
  auto operator<=>(const Track&) const = default;
};

struct Span {
  std::int64_t start = 0, duration = 0;  ///< ns
  std::int32_t micro_batch = 0;
  std::uint32_t correlation = 0;  ///< with the launch; 0: none
  std::uint32_t track = 0;        ///< in Spans::tracks
  std::int32_t device = 0;
  std::uint16_t stage = 0;
  OpKind kind = OpKind::forward;
  bool told = false;       ///< `kind` is from the file, not a guess
  std::uint32_t step = 0;  ///< steps that had begun when it began, a kernel when the host launched it
  std::int64_t end() const { return start + duration; }
};

/// A kernel was asked for: when, and by which thread.
struct Launch {
  std::uint32_t correlation = 0;
  std::uint32_t track = 0;
  std::int64_t time = 0;
};

struct Step {
  std::int64_t start = 0, end = 0;
  int number = 0;
  bool on_device = false;  ///< the profiler's copy on a GPU's track
};

/// By where they come from: a trace's own operations are better than kernels, these better than annotations.
struct Spans {
  std::vector<Track> tracks;
  std::vector<std::string> names;  ///< of tracks, from metadata: "device 3", "0 to 1"
  std::vector<Span> own, kernels, annotations, operators;
  std::vector<Launch> launches;
  std::vector<Step> steps;
  std::set<std::uint32_t> autograd;  ///< tracks of PyTorch's backward threads
  std::size_t events = 0;
};

/// Files events away; ends of a begun event are looked for on its track.
class Collector {
 public:
  Result<void> take(const Event& event);
  Spans finish();

 private:
  struct Open {
    std::int64_t start = 0;
    std::string name, category;
  };
  std::uint32_t track_of(const Event& event);
  Result<void> take_complete(const Event& event, std::int64_t start, std::int64_t duration, std::string_view name,
                             std::string_view category);
  Result<void> take_end(const Event& event);
  void take_metadata(const Event& event);

  /// pass_in_name, remembered: few names come again and again.
  std::optional<NamedPass> classify_pass(std::string_view name);
  static Span classify_kernel(Span span, std::string_view name, std::string_view category);

  Spans spans_;
  std::unordered_map<std::string, std::optional<NamedPass>> passes_;
  std::string name_;  ///< what is looked up, kept for its memory
  std::map<Track, std::uint32_t> numbers_;
  Track last_{-1, -1};
  std::uint32_t last_number_ = 0;
  std::map<std::uint32_t, std::vector<Open>> open_;
};

/// Sets the step of each span by its start. The steps are in order.
void place_in_steps(std::vector<Span>& spans, const std::vector<Step>& steps);

/// Sorts the launches, and sets the step of each kernel by its launch. One without a launch was launched before the
/// recording, by its correlation, or with the launched one before it on its track, else at its start.
void place_kernels(Spans& spans, const std::vector<Step>& steps);

/// Gives every kernel its kind and micro-batch: the innermost annotation at its launch, else on its own device; else
/// whether autograd launched it; else its name.
void classify_kernels(Spans& spans);

/// Returns lanes of the spans, which are sorted by lane and start. If two of a lane overlap, the second begins where
/// the first ends. One within the other is omitted and counted.
Timeline lanes_of(std::vector<Span> spans, bool on_devices, std::size_t& hidden);
/// As above for a trace of this program, whose tracks name their lanes.
Result<Timeline> lanes_by_name(const Spans& spans);

}  // namespace pipedeck::io::traces
