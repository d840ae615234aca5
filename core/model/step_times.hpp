// SPDX-License-Identifier: Apache-2.0
// The step time of a run as one value, used by trials to compare plans and by lists of runs.
#pragma once

#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "core/model/run.hpp"

namespace pipedeck {

/// Returns the durations of all steps except the first, which allocates memory.
inline std::vector<double> step_seconds(const std::vector<RunEvent>& events) {
  std::vector<double> seconds;
  bool first = true;
  for (const RunEvent& event : events)
    if (const auto* step = std::get_if<StepDone>(&event)) {
      if (!first) seconds.push_back(step->duration.count);
      first = false;
    }
  return seconds;
}

/// Returns the median of step_seconds; nothing if there is no second step.
inline std::optional<Seconds> median_step(const std::vector<RunEvent>& events) {
  std::vector<double> seconds = step_seconds(events);
  if (seconds.empty()) return std::nullopt;
  std::ranges::sort(seconds);
  const std::size_t half = seconds.size() / 2;
  return Seconds(seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2);
}

}  // namespace pipedeck
