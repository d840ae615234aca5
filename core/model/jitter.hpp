// SPDX-License-Identifier: Apache-2.0
// Passes of varying duration, and their effect on the iteration (simulator.md, "Jitter").
#pragma once

#include <cstdint>

#include "core/base/units.hpp"

namespace pipedeck {

inline constexpr double largest_jitter = 1;
inline constexpr int max_jitter_runs = 100'000;

struct JitterOptions {
  double variation = 0.05;  ///< coefficient of variation of each pass, 0 to largest_jitter
  int runs = 200;           ///< 1 to max_jitter_runs
  std::uint64_t seed = 1;
  bool operator==(const JitterOptions&) const = default;
};

/// A summary of the iteration times of all runs: their mean and percentiles (nearest rank).
struct JitterBand {
  JitterOptions options;
  Nanoseconds is_disabled;  ///< the iteration without variation
  Nanoseconds mean, p5, p50, p95;
  bool operator==(const JitterBand&) const = default;
};

}  // namespace pipedeck
