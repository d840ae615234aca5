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

/// Whether the layer can be cut over `degree` devices wherever it stands: the profile has times for it and, where it
/// tells the ways, one of a whole input to a whole output. Every layer can be on one device.
bool can_be_cut(const Layer& layer, int degree);

/// The cheapest path through layers added one after the other, from a whole input on. Of equal ones that with fewer
/// layers computed alike, then the one whose ways were listed first.
class CutPath {
 public:
  /// `begin`: how the first layer's input lies.
  explicit CutPath(Lies begin = Lies::whole) { now_[static_cast<std::size_t>(begin)].possible = true; }

  /// The next layer may be cut in each of these ways. False, and no path goes on, where it can't give its output whole.
  bool add(std::span<const CutStep> ways);

  /// Of each layer the place of its way in what was added. The output ends whole, or in columns where it may and that
  /// moves less. Empty where there is no path.
  std::vector<std::size_t> chosen(bool may_end_in_columns) const;
  /// The same of the paths that end so.
  const std::vector<std::size_t>& ending(Lies end) const { return now_[static_cast<std::size_t>(end)].ways; }

 private:
  struct Path {
    bool possible = false;
    std::tuple<std::int64_t, int> cost{};  ///< values moved; layers computed alike
    std::vector<std::size_t> ways;
  };
  std::array<Path, 2> now_;  ///< by how the last output lies
};

}  // namespace pipedeck
