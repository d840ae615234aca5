// SPDX-License-Identifier: Apache-2.0
// What a step of a run took, as one figure: trials compare plans by it, and runs are listed with it.
#pragma once

#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "core/domain/run.hpp"

namespace pipedeck {

/// Of the steps but for the first, which makes its memory.
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

/// Their median; nothing where there is no second step.
inline std::optional<Seconds> median_step(const std::vector<RunEvent>& events) {
  std::vector<double> seconds = step_seconds(events);
  if (seconds.empty()) return std::nullopt;
  std::ranges::sort(seconds);
  const std::size_t half = seconds.size() / 2;
  return Seconds(seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2);
}

}  // namespace pipedeck
