// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

namespace pipedeck::planner::capture {

/// A table of maxima over any range of appended numbers, stored for ranges of powers of two.
class RangeMaxQuery {
 public:
  void append(int value) {
    if (tables_.empty()) tables_.emplace_back();
    tables_[0].push_back(value);
    const std::size_t count = tables_[0].size();
    for (std::size_t k = 0; (std::size_t{2} << k) <= count; ++k) {
      if (tables_.size() == k + 1) tables_.emplace_back();
      const std::vector<int>& half = tables_[k];
      tables_[k + 1].push_back(std::max(half.back(), half[half.size() - 1 - (std::size_t{1} << k)]));
    }
  }

  /// Returns the maximum of entries [first, last], not empty; two stored ranges cover them.
  int of(int first, int last) const {
    const auto k = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(last - first + 1)) - 1);
    const std::vector<int>& ranges = tables_[k];
    return std::max(ranges[static_cast<std::size_t>(first)],
                    ranges[static_cast<std::size_t>(last) + 1 - (std::size_t{1} << k)]);
  }

 private:
  std::vector<std::vector<int>> tables_;  // [k][i]: of the 2^k entries from i on
};

}  // namespace pipedeck::planner::capture
