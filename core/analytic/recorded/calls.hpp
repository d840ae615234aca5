// SPDX-License-Identifier: Apache-2.0
// The module calls of a recording as trees, one per pass through the model.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/profiler_trace.hpp"

namespace pipedeck::analytic::recorded {

/// A call of a module. The calls inside it follow it, up to `next`.
struct Call {
  std::uint32_t name = 0;  ///< index in Recording::names
  int depth = 0;           ///< 0: inside no other module
  std::int64_t start = 0, end = 0;
  std::size_t next = 0;  ///< index in the pass of the first call after this one and its children
  bool has_children(std::size_t at) const { return next > at + 1; }
};

/// A forward pass, ordered by time.
struct Pass {
  std::vector<Call> calls;
  std::int64_t start() const { return calls.front().start; }
  std::int64_t end = 0;
};

/// A module that ran again within a backward pass, possibly inside another such module.
struct RecomputedCall {
  std::uint32_t track = 0, name = 0;
  std::int64_t start = 0, end = 0;
};

struct Calls {
  std::uint32_t track = 0;              ///< the thread of all passes
  bool annotated = false;               ///< modules are the user's annotations
  std::vector<Pass> passes;             ///< all with the same modules in the same order
  std::vector<RecordedSpan> optimizer;  ///< steps of PyTorch's optimizers
  std::vector<RecomputedCall> again;    ///< on any thread of the process, sorted by thread and start
  std::size_t recomputed = 0;           ///< those of `again` that are inside no other
  std::size_t left_out = 0;             ///< number of passes with other modules
  std::size_t elsewhere = 0;            ///< outermost modules on other threads
};

/// Sorts spans with a track, start and end so that nested ones follow the enclosing one. Older traces have whole
/// microseconds. Spans that begin at the same time keep the file's order if they have no duration; otherwise the longer
/// one comes first.
template <class Span>
void sort_nested(std::vector<Span>& spans) {
  std::ranges::stable_sort(
      spans, [](const Span& a, const Span& b) { return a.track != b.track ? a.track < b.track : a.start < b.start; });
  std::vector<std::size_t> places;
  std::vector<Span> lasting;
  for (std::size_t begin = 0, end = 0; begin < spans.size(); begin = end) {
    places.clear(), lasting.clear();
    for (end = begin;
         end < spans.size() && spans[end].track == spans[begin].track && spans[end].start == spans[begin].start; ++end)
      if (spans[end].end > spans[end].start) places.push_back(end), lasting.push_back(spans[end]);
    if (places.size() < 2) continue;
    std::ranges::stable_sort(lasting, [](const Span& a, const Span& b) { return a.end > b.end; });
    for (std::size_t i = 0; i < places.size(); ++i) spans[places[i]] = lasting[i];
  }
}

/// Returns the calls. bad_input if no module was recorded, or modules are nested too deeply. Sorts the recording's
/// spans.
Result<Calls> calls_in(ProfilerTrace& recording);

}  // namespace pipedeck::analytic::recorded
