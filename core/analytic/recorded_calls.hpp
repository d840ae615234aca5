// SPDX-License-Identifier: Apache-2.0
// The calls of modules in a recording as trees, one a pass through the model.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/domain/recording.hpp"
#include "core/domain/result.hpp"

namespace pipedeck::recorded {

/// A module that ran; those that ran in it follow it, up to `next`.
struct Call {
  std::uint32_t name = 0;  ///< in Recording::names
  int depth = 0;           ///< 0: in no other module
  std::int64_t start = 0, end = 0;
  std::size_t next = 0;  ///< of the same pass, the first call behind this one's own
  bool has_children(std::size_t at) const { return next > at + 1; }
};

/// One forward pass, in order of time.
struct Pass {
  std::vector<Call> calls;
  std::int64_t start() const { return calls.front().start; }
  std::int64_t end = 0;
};

/// A module that ran again within a backward pass, perhaps in another one that did.
struct Again {
  std::uint32_t track = 0, name = 0;
  std::int64_t start = 0, end = 0;
};

struct Calls {
  std::uint32_t track = 0;     ///< the thread that all passes ran on
  bool annotated = false;      ///< modules are annotations of the user
  std::vector<Pass> passes;    ///< of one form: the same modules in the same order
  std::vector<Again> again;    ///< on any thread of the process, sorted by thread and start
  std::size_t recomputed = 0;  ///< of `again`, those in no other
  std::size_t left_out = 0;    ///< passes of another form
  std::size_t elsewhere = 0;   ///< outermost modules on other threads
};

/// Spans (of a track, start and end) sorted so that those that lie within another follow it. Older traces count whole
/// microseconds: what begins at the same moment is in the file's order where it took no time, else the longer first.
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

/// bad_input where no module was recorded, or too many lie within one another. Sorts the recording's spans.
Result<Calls> calls_in(Recording& recording);

}  // namespace pipedeck::recorded
