// SPDX-License-Identifier: Apache-2.0
// The activations of one value.
#pragma once

#include <cmath>

#include "core/runtime/cuda/launch.hpp"

namespace pipedeck::runtime::cuda {

inline constexpr float gelu_scale = 0.7978845608028654f;  // sqrt(2 / pi)
inline constexpr float gelu_cube = 0.044715f;

__device__ inline float relu_of(float x) { return x > 0.0f ? x : 0.0f; }

__device__ inline float gelu_of(float x) { return 0.5f * x * (1.0f + tanhf(gelu_scale * (x + gelu_cube * x * x * x))); }

/// The derivative of gelu_of.
__device__ inline float gelu_derivative(float x) {
  const float t = tanhf(gelu_scale * (x + gelu_cube * x * x * x));
  const float inner = gelu_scale * (1.0f + 3.0f * gelu_cube * x * x);
  return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * inner;
}

}  // namespace pipedeck::runtime::cuda
