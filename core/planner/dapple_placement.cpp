// SPDX-License-Identifier: Apache-2.0
// The three placement policies of section IV-B.
#include <algorithm>
#include <numeric>

#include "core/planner/dapple_space.hpp"

namespace pipedeck {

namespace {

class Taker {
 public:
  Taker(const std::vector<int>& sizes, const std::vector<int>& used, int wanted)
      : sizes_(sizes), used_(used), wanted_(wanted), taken_(sizes.size(), 0) {}

  /// All that is free on nodes that are (not) in use, node by node.
  void fill(bool in_use) {
    for (std::size_t n = 0; n < sizes_.size(); ++n)
      if ((used_[n] > 0) == in_use) take(n, free(n));
  }

  /// A device at a time from each of these nodes in turn.
  void scatter(bool in_use) {
    for (bool any = true; any && wanted_ > 0;) {
      any = false;
      for (std::size_t n = 0; n < sizes_.size(); ++n)
        if ((used_[n] > 0) == in_use && free(n) > 0 && wanted_ > 0) take(n, 1), any = true;
    }
  }

  std::vector<int> taken() const { return taken_; }

 private:
  int free(std::size_t n) const { return sizes_[n] - used_[n] - taken_[n]; }
  void take(std::size_t n, int most) {
    const int count = std::min(most, wanted_);
    taken_[n] += count;
    wanted_ -= count;
  }

  const std::vector<int>& sizes_;
  const std::vector<int>& used_;
  int wanted_;
  std::vector<int> taken_;
};

}  // namespace

std::optional<std::vector<int>> place(PlacementPolicy policy, const std::vector<int>& sizes,
                                      const std::vector<int>& used, int wanted) {
  const int free = std::accumulate(sizes.begin(), sizes.end(), 0) - std::accumulate(used.begin(), used.end(), 0);
  if (free < wanted) return {};
  Taker taker(sizes, used, wanted);
  switch (policy) {
    case PlacementPolicy::fresh_first:
      taker.fill(false), taker.fill(true);
      break;
    case PlacementPolicy::append_first:
      taker.fill(true), taker.fill(false);
      break;
    case PlacementPolicy::scatter_first:
      taker.scatter(true), taker.scatter(false);
      break;
  }
  return taker.taken();
}

}  // namespace pipedeck
