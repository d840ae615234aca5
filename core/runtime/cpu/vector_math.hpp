// SPDX-License-Identifier: Apache-2.0
// Support for vectorised plain loops: clones for several instruction sets, and exponentials without a call.
#pragma once

#include <cstdint>

#include "core/runtime/tensor/processor_clones.hpp"

#define PIPEDECK_INLINE inline __attribute__((always_inline))

namespace pipedeck::runtime::cpu {

// Standard library functions compiled for the plain CPU are not inlined into clones but called, and a loop with a call
// does not vectorise. Kernels use these instead.
template <class Number>
PIPEDECK_INLINE Number smaller(Number a, Number b) {
  return b < a ? b : a;
}
template <class Number>
PIPEDECK_INLINE Number larger(Number a, Number b) {
  return a < b ? b : a;
}

/// Computes e^x by Cody-Waite reduction and a polynomial of degree 6 (coefficients of Cephes' expf): 2 ulp. Unlike
/// std::exp, it vectorises.
PIPEDECK_INLINE float exponential(float x) {
  x = smaller(larger(x, -87.0f), 88.0f);
  constexpr float round_magic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to whole numbers
  const float rounded = x * 1.44269504088896341f + round_magic;
  const float n = rounded - round_magic;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  // The bits of `rounded` count whole numbers. Unlike a conversion of n, their difference is defined for NaN.
  const auto whole = __builtin_bit_cast(std::uint32_t, rounded) - __builtin_bit_cast(std::uint32_t, round_magic);
  return p * __builtin_bit_cast(float, (whole + 127u) << 23);
}

PIPEDECK_INLINE float hyperbolic_tangent(float x) { return 1.0f - 2.0f / (exponential(2.0f * x) + 1.0f); }

PIPEDECK_INLINE float logistic(float x) { return 1.0f / (1.0f + exponential(-x)); }

}  // namespace pipedeck::runtime::cpu
