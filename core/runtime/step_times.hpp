// SPDX-License-Identifier: Apache-2.0
// What a step of a run took, as one figure: trials compare plans by it, and runs are listed with it.
#pragma once

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/domain/run.hpp"
#include "core/runtime/profile/robust.hpp"

namespace pipedeck {

/// Seconds of the steps but for the first, which makes its memory. Nothing where there is no second one.
inline std::optional<RobustSummary> step_times(const std::vector<RunEvent>& events) {
  std::vector<double> seconds;
  bool first = true;
  for (const RunEvent& event : events)
    if (const auto* step = std::get_if<StepDone>(&event); step && !std::exchange(first, false))
      seconds.push_back(step->duration.count);
  if (seconds.empty()) return std::nullopt;
  return summary_of(std::move(seconds));
}

}  // namespace pipedeck
