// SPDX-License-Identifier: Apache-2.0
// The fastest of many orders of operations for a plan's own stage times.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stop_token>

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/schedule.hpp"
#include "core/schedule/stage_estimates.hpp"

namespace pipedeck::schedule {

/// A pair of criteria that decide between two orders of one plan.
struct OrderEvaluator {
  std::function<std::optional<Nanoseconds>(const Schedule&)> time;  ///< of an iteration; nothing: the order deadlocks
  std::function<bool(const Schedule&)> fits;                        ///< within the memory of every device
};

/// Returns the best order by `judge`. It is never slower than any fixed schedule that the placement of the plan's
/// stages allows. It never exceeds a device's memory if one of these schedules does not.
Result<Schedule> adaptive(const Plan& plan, std::span<const StageEstimates> figures, const OrderEvaluator& judge,
                          const std::stop_token& stop);

/// Returns the best order by the predicted times alone.
Result<Schedule> adaptive(const Plan& plan, std::span<const StageEstimates> figures);

}  // namespace pipedeck::schedule
