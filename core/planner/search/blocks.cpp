// SPDX-License-Identifier: Apache-2.0
// Balanced blocks: can all layers be covered when no stage takes longer than a bound? Filling the stages from the front
// as far as the bound allows answers that, in O(S log N), since a longer prefix never hurts. Bisection over the bound
// is exact, because both ends snap to times that some block has: a cover's slowest block from above, the least time
// that would let some stage take another layer from below.
#include "core/planner/search/blocks.hpp"

#include <algorithm>

#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::search {

namespace {

double seconds(const PassTimes& times, int first, int last) {
  return times.forward_of(first, last) + times.backward_of(first, last);
}

/// A partition filled from the front, with at most the bound per stage.
struct Cover {
  std::vector<int> ends;  ///< of its blocks
  double slowest = 0;     ///< of its blocks
  double next = never;    ///< least larger bound with which a stage takes more
  bool complete = false;
};

/// Returns the furthest end in (first, most] within the bound; `first` if not even one layer is.
int last_fitting(const PassTimes& times, int first, int most, double bound) {
  int low = first, high = most;
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (seconds(times, first, middle) <= bound)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

Cover greedy_cover(const std::vector<const PassTimes*>& stages, int layers, double bound) {
  const int count = static_cast<int>(stages.size());
  Cover result;
  int first = 0;
  for (int s = 0; s < count; ++s) {
    const int most = layers - (count - s - 1);  // a layer for each stage behind
    const int last = last_fitting(*stages[at(s)], first, most, bound);
    if (last < most) result.next = std::min(result.next, seconds(*stages[at(s)], first, last + 1));
    if (last == first) return result;
    result.slowest = std::max(result.slowest, seconds(*stages[at(s)], first, last));
    result.ends.push_back(first = last);
  }
  result.complete = first == layers;
  return result;
}

}  // namespace

std::vector<int> even_layers(int layers, int stages) {
  std::vector<int> ends;
  for (int s = 0, end = 0; s < stages; ++s) ends.push_back(end += layers / stages + (s < layers % stages ? 1 : 0));
  return ends;
}

std::vector<int> balanced_blocks(const std::vector<const PassTimes*>& stages, int layers) {
  Cover best = greedy_cover(stages, layers, never);
  ensure(best.complete, "more stages than layers");
  for (double low = 0; low < best.slowest;) {  // no cover is below `low`
    const double middle = low + (best.slowest - low) / 2;
    const bool apart = low < middle && middle < best.slowest;
    const Cover tried = greedy_cover(stages, layers, apart ? middle : low);
    if (tried.complete)
      best = tried;
    else if (tried.next >= best.slowest)
      break;
    else
      low = tried.next;
  }
  return best.ends;
}

}  // namespace pipedeck::planner::search
