// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/rotary.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pipedeck::runtime::cpu {

double rotary_step(const layers::RotaryAngles& of, std::int64_t pair, std::int64_t width) {
  const double angle = std::pow(of.base, -2.0 * static_cast<double>(pair) / static_cast<double>(width));
  const double turns = of.original * angle / (2 * std::numbers::pi);
  const double kept = std::clamp((turns - of.low) / (of.high - of.low), 0.0, 1.0);
  return angle * (kept + (1 - kept) / of.factor);
}

RotaryTable::RotaryTable(std::span<const std::int64_t> positions, std::int64_t width,
                         const layers::RotaryAngles& angles)
    : positions_(static_cast<std::int64_t>(positions.size())), half_(width / 2) {
  for (const std::int64_t position : positions)
    for (std::int64_t i = 0; i < half_; ++i) {
      const double angle = static_cast<double>(position) * rotary_step(angles, i, width);
      cosine_.push_back(static_cast<float>(std::cos(angle)));
      sine_.push_back(static_cast<float>(std::sin(angle)));
    }
}

}  // namespace pipedeck::runtime::cpu
