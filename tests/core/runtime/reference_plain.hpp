// SPDX-License-Identifier: Apache-2.0
// The common parts of all references.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace pipedeck::test {

using Vector = std::vector<double>;

inline double reference_gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

inline Vector reference_activation(Vector values, std::int64_t activation) {
  for (double& value : values) {
    if (activation == 1) value = value > 0 ? value : 0;
    if (activation == 2) value = reference_gelu(value);
  }
  return values;
}

}  // namespace pipedeck::test
