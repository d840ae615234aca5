// SPDX-License-Identifier: Apache-2.0
// Spans of time, in nanoseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pipedeck {

struct Interval {
  std::int64_t begin = 0, end = 0;
};

/// Their union: sorted, none touching the next.
inline std::vector<Interval> merged(std::vector<Interval> all) {
  std::sort(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> apart;
  for (const Interval& interval : all) {
    if (!apart.empty() && interval.begin <= apart.back().end)
      apart.back().end = std::max(apart.back().end, interval.end);
    else
      apart.push_back(interval);
  }
  return apart;
}

}  // namespace pipedeck
