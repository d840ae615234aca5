// SPDX-License-Identifier: Apache-2.0
// Quantiles of a few values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace pipedeck {

/// Returns the value below which this part of the values is, interpolated between its neighbours. `ascending`: one
/// value or more.
inline double quantile(const std::vector<double>& ascending, double part) {
  const double place = part * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return ascending[below] + (place - static_cast<double>(below)) * (ascending[above] - ascending[below]);
}

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

}  // namespace pipedeck
