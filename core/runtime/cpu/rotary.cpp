// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/rotary.hpp"

#include <cmath>

namespace pipedeck::runtime::cpu {

RotaryTable::RotaryTable(std::span<const std::int64_t> positions, std::int64_t width, double base)
    : positions_(static_cast<std::int64_t>(positions.size())), half_(width / 2) {
  for (const std::int64_t position : positions)
    for (std::int64_t i = 0; i < half_; ++i) {
      const double angle =
          static_cast<double>(position) * std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width));
      cosine_.push_back(static_cast<float>(std::cos(angle)));
      sine_.push_back(static_cast<float>(std::sin(angle)));
    }
}

}  // namespace pipedeck::runtime::cpu
