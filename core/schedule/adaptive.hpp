// SPDX-License-Identifier: Apache-2.0
// The order of operations that is the fastest of many for a plan's own stage times.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stop_token>

#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"
#include "core/domain/schedule.hpp"
#include "core/schedule/figures.hpp"

namespace pipedeck {

/// What decides between two orders of one plan.
struct OrderJudge {
  std::function<std::optional<Nanoseconds>(const Schedule&)> time;  ///< of an iteration; nothing: it does not end
  std::function<bool(const Schedule&)> fits;                        ///< in the memory of every device
};

/// By a judge: never slower than a fixed schedule that can be had with the plan's stages where they are, and never over
/// a device's memory if one of these is not.
Result<Schedule> adaptive(const Plan& plan, std::span<const StageFigures> figures, const OrderJudge& judge,
                          const std::stop_token& stop);

/// By the figures alone.
Result<Schedule> adaptive(const Plan& plan, std::span<const StageFigures> figures);

}  // namespace pipedeck
