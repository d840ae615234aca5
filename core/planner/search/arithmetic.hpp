// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>

namespace pipedeck::planner::search {

/// The cost of an impossible choice.
inline constexpr double never = std::numeric_limits<double>::infinity();

/// Converts a position, stage or device, counted in int, to a vector's index.
constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Returns a / b rounded up; a >= 0, b > 0.
constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

}  // namespace pipedeck::planner::search
