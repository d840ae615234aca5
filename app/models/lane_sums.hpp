// SPDX-License-Identifier: GPL-3.0-or-later
// How long a lane was busy with each kind between any two times, to the nanosecond and without a walk over the
// operations between them: sums up to every thousandth operation.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/domain/timeline.hpp"

namespace pipedeck::app {

/// Nanoseconds of each kind.
using KindTimes = std::array<std::int64_t, op_kind_count>;

struct LaneSums {
  std::vector<KindTimes> before;  ///< of the operations before each block
  std::uint32_t kinds = 0;        ///< a bit for each kind that occurs
};

LaneSums sum_lane(const Timeline& timeline, const TimelineLane& lane);

/// Of `lane` in [begin, end) ns; operations that reach out of it count with their part inside.
KindTimes busy_between(const Timeline& timeline, const TimelineLane& lane, const LaneSums& sums, std::int64_t begin,
                       std::int64_t end);

}  // namespace pipedeck::app
