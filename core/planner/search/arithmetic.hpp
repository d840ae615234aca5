// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>

namespace pipedeck::planner::search {

/// The cost of what can't be done.
inline constexpr double never = std::numeric_limits<double>::infinity();

/// Positions, stages and devices are counted in int, vectors in std::size_t.
constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// a / b rounded up; a >= 0, b > 0.
constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

}  // namespace pipedeck::planner::search
