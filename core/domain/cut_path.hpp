// SPDX-License-Identifier: Apache-2.0
// Which way each layer of a tensor-parallel stage is cut: the ways whose ends meet and that move the least, as Whale
// reckons it (Jia et al., ATC 2022, section 3.2.2). The runtime chooses by it, and predictions say by it what was
// chosen.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <vector>

#include "core/domain/profile.hpp"

namespace pipedeck {

/// The cheapest path through layers added one after the other, from a whole input on. Of equal ones that with fewer
/// layers computed alike, then the one whose ways were listed first.
class CutPath {
 public:
  CutPath() { now_[0].possible = true; }

  /// The next layer may be cut in each of these ways. False, and no path goes on, where it can't give its output whole.
  bool add(std::span<const CutStep> ways);

  /// Of each layer the place of its way in what was added. The output ends whole, or in columns where it may and that
  /// moves less. Empty where there is no path.
  std::vector<std::size_t> chosen(bool may_end_in_columns) const;

 private:
  struct Path {
    bool possible = false;
    std::tuple<std::int64_t, int> cost{};  ///< values moved; layers computed alike
    std::vector<std::size_t> ways;
  };
  std::array<Path, 2> now_;  ///< by how the last output lies
};

}  // namespace pipedeck
