// SPDX-License-Identifier: Apache-2.0
// Spans of time, in nanoseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pipedeck::sim::engine {

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

/// As merged(), of lists that are sorted and apart: neighbours two by two, which beats sorting them all anew.
inline std::vector<Interval> merged(std::vector<std::vector<Interval>> lists) {
  const auto unite = [](const std::vector<Interval>& a, const std::vector<Interval>& b) {
    std::vector<Interval> both;
    both.reserve(a.size() + b.size());
    for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
      const bool of_a = j == b.size() || (i < a.size() && a[i].begin < b[j].begin);
      const Interval& next = of_a ? a[i++] : b[j++];
      if (!both.empty() && next.begin <= both.back().end)
        both.back().end = std::max(both.back().end, next.end);
      else
        both.push_back(next);
    }
    return both;
  };
  if (lists.empty()) return {};
  for (std::size_t apart = 1; apart < lists.size(); apart *= 2)
    for (std::size_t i = 0; i + apart < lists.size(); i += 2 * apart) lists[i] = unite(lists[i], lists[i + apart]);
  return std::move(lists.front());
}

}  // namespace pipedeck::sim::engine
