// SPDX-License-Identifier: Apache-2.0
// Real trials (AMP, Li et al., 2022, Algorithm 1, line 8: best_s = run(record, budget)): the best plans by prediction
// are trained for a few steps, and the fastest measured one is the answer.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/units.hpp"

namespace pipedeck::study {

/// A plan that was trained for a few steps.
struct Trial {
  int plan = 0;  ///< the caller's number of the plan
  std::string name{};
  std::optional<Seconds> predicted{}, measured{};  ///< per step
  Seconds lower{}, upper{};                        ///< quartiles of the measured steps; 0: unknown
  std::string failure{};                           ///< why there is no measured time
};

/// Sorts the fastest measured trial first. Trials that failed come last, in their order.
inline void sort_fastest_first(std::vector<Trial>& trials) {
  constexpr Seconds never(std::numeric_limits<double>::infinity());
  std::ranges::stable_sort(trials, {}, [&](const Trial& trial) { return trial.measured.value_or(never); });
}

/// Returns null if no trial was measured.
inline const Trial* fastest(std::span<const Trial> trials) {
  const Trial* best = nullptr;
  for (const Trial& trial : trials)
    if (trial.measured && (!best || *trial.measured < *best->measured)) best = &trial;
  return best;
}

}  // namespace pipedeck::study
