// SPDX-License-Identifier: GPL-3.0-or-later
// Busy time and operations of a lane per kind between any two times, exact to the nanosecond. Prefix sums at every
// 1024th operation avoid a loop over all operations between them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/model/timeline.hpp"

namespace pipedeck::models::gantt {

/// Nanoseconds of each kind.
using KindTimes = std::array<std::int64_t, op_kind_count>;

struct LaneSums {
  std::vector<KindTimes> before;  ///< sums over the operations before each block
  std::vector<KindTimes> counts;  ///< numbers of operations before each block
  std::uint32_t kinds = 0;        ///< a bit for each kind that occurs
};

LaneSums sum_lane(const Timeline& timeline, const TimelineLane& lane);

/// Returns the busy time of `lane` in [begin, end) ns. Operations that exceed the span count with their part inside.
KindTimes busy_between(const Timeline& timeline, const TimelineLane& lane, const LaneSums& sums, std::int64_t begin,
                       std::int64_t end);

/// Returns how many operations of each kind are in [begin, end) ns, wholly or with a part.
KindTimes count_between(const Timeline& timeline, const TimelineLane& lane, const LaneSums& sums, std::int64_t begin,
                        std::int64_t end);

}  // namespace pipedeck::models::gantt
