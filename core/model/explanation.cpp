// SPDX-License-Identifier: Apache-2.0
#include "core/model/explanation.hpp"

namespace pipedeck {

CriticalShares shares_of(const CriticalPath& path, std::size_t stages) {
  CriticalShares shares;
  shares.by_stage.resize(stages);
  for (const CriticalSegment& link : path.links) {
    const Nanoseconds time = link.end - link.begin;
    shares.by_kind[static_cast<std::size_t>(link.operation.kind)] += time;
    if (link.operation.stage.index() < stages) shares.by_stage[link.operation.stage.index()] += time;
    ++shares.causes[static_cast<std::size_t>(link.cause)];
    shares.slowed += link.slowed;
  }
  return shares;
}

Nanoseconds TimeBreakdown::total() const {
  Nanoseconds sum;
  for (const Nanoseconds time : times) sum += time;
  return sum;
}

Waterfall waterfall(const TimeBreakdown& a, const TimeBreakdown& b) {
  Waterfall steps{a, b, {}};
  for (std::size_t i = 0; i < steps.change.times.size(); ++i) steps.change.times[i] = b.times[i] - a.times[i];
  return steps;
}

}  // namespace pipedeck
