// SPDX-License-Identifier: Apache-2.0
#include "core/base/pareto.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace pipedeck {

bool dominates(const ObjectiveVector& a, const ObjectiveVector& b) {
  bool less = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    less = less || a[i] < b[i];
  }
  return less;
}

/// In lexicographic order, every choice comes after those that dominate it, and at least one of them is on the front.
/// So each choice is compared with the front so far.
std::vector<bool> non_dominated(std::span<const ObjectiveVector> choices) {
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return choices[a] < choices[b]; });
  std::vector<bool> stands(choices.size(), false);
  std::vector<std::size_t> front;
  for (const std::size_t at : order) {
    const bool beaten = std::any_of(front.begin(), front.end(),
                                    [&](std::size_t other) { return dominates(choices[other], choices[at]); });
    if (beaten) continue;
    stands[at] = true;
    if (front.empty() || choices[front.back()] != choices[at]) front.push_back(at);
  }
  return stands;
}

}  // namespace pipedeck
