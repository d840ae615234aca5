// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/runtime/cpu/vector_math.hpp"

namespace pipedeck::runtime::cpu {
namespace {

constexpr float layer_norm_epsilon = 1e-5f;  // of layer norm, as in GPT-2

constexpr float gelu_scale = 0.7978845608028654f;  // sqrt(2 / pi)
constexpr float gelu_cube = 0.044715f;

}  // namespace

PIPEDECK_KERNEL void add(float* __restrict to, const float* __restrict from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
}

PIPEDECK_KERNEL void add_scaled(float* __restrict to, const float* __restrict from, float factor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

PIPEDECK_KERNEL float dot_product(const float* a, const float* b, std::int64_t count) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

PIPEDECK_KERNEL void logistic_in_place(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = logistic(values[i]);
}

PIPEDECK_KERNEL void logistic_backward(float* __restrict gradient, const float* __restrict out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) gradient[i] *= out[i] * (1.0f - out[i]);
}

PIPEDECK_KERNEL void scale(float* values, float factor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] *= factor;
}

PIPEDECK_KERNEL void add_bias(float* __restrict values, const float* __restrict bias, std::int64_t rows,
                              std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < columns; ++i) values[row * columns + i] += bias[i];
}

PIPEDECK_KERNEL void add_column_sums(float* __restrict sums, const float* __restrict values, std::int64_t rows,
                                     std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < columns; ++i) sums[i] += values[row * columns + i];
}

PIPEDECK_KERNEL void relu(float* __restrict out, const float* __restrict in, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = in[i] > 0 ? in[i] : 0.0f;
}

PIPEDECK_KERNEL void relu_in_place(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] > 0 ? values[i] : 0.0f;
}

PIPEDECK_KERNEL void relu_backward(float* __restrict gradient, const float* __restrict in, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) gradient[i] = in[i] > 0 ? gradient[i] : 0.0f;
}

PIPEDECK_KERNEL void gelu(float* __restrict out, const float* __restrict in, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float x = in[i];
    out[i] = 0.5f * x * (1.0f + hyperbolic_tangent(gelu_scale * (x + gelu_cube * x * x * x)));
  }
}

PIPEDECK_KERNEL void gelu_backward(float* __restrict gradient, const float* __restrict in, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float x = in[i];
    const float t = hyperbolic_tangent(gelu_scale * (x + gelu_cube * x * x * x));
    const float inner = gelu_scale * (1.0f + 3.0f * gelu_cube * x * x);
    gradient[i] *= 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * inner;
  }
}

PIPEDECK_KERNEL void layer_norm(float* __restrict out, float* mean, float* inverse, const float* __restrict in,
                                const float* __restrict gain, const float* __restrict shift, std::int64_t rows,
                                std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* x = in + row * columns;
    float* y = out + row * columns;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < columns; ++i) sum += x[i];
    const float m = sum / static_cast<float>(columns);
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::int64_t i = 0; i < columns; ++i) squares += (x[i] - m) * (x[i] - m);
    const float r = 1.0f / std::sqrt(squares / static_cast<float>(columns) + layer_norm_epsilon);
    for (std::int64_t i = 0; i < columns; ++i) y[i] = (x[i] - m) * r * gain[i] + shift[i];
    mean[row] = m;
    inverse[row] = r;
  }
}

PIPEDECK_KERNEL void layer_norm_backward(float* __restrict in_gradient, float* __restrict gain_gradient,
                                         float* __restrict shift_gradient, const float* __restrict out_gradient,
                                         const float* __restrict in, const float* mean, const float* inverse,
                                         const float* __restrict gain, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* x = in + row * columns;
    const float* g = out_gradient + row * columns;
    const float m = mean[row], r = inverse[row];
    float sum = 0, projection = 0;
#pragma omp simd reduction(+ : sum, projection)
    for (std::int64_t i = 0; i < columns; ++i) {
      const float normal = (x[i] - m) * r;
      sum += g[i] * gain[i];
      projection += g[i] * gain[i] * normal;
    }
    for (std::int64_t i = 0; i < columns; ++i) {
      gain_gradient[i] += g[i] * (x[i] - m) * r;
      shift_gradient[i] += g[i];
    }
    if (in_gradient == nullptr) continue;
    float* to = in_gradient + row * columns;
    const float share = 1.0f / static_cast<float>(columns);
    for (std::int64_t i = 0; i < columns; ++i)
      to[i] += r * (g[i] * gain[i] - share * sum - (x[i] - m) * r * share * projection);
  }
}

PIPEDECK_KERNEL void rms_norm(float* out, float* inverse, const float* in, const float* __restrict gain, float epsilon,
                              std::int64_t rows, std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* x = in + row * columns;
    float* y = out + row * columns;
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::int64_t i = 0; i < columns; ++i) squares += x[i] * x[i];
    const float r = 1.0f / std::sqrt(squares / static_cast<float>(columns) + epsilon);
#pragma omp simd
    for (std::int64_t i = 0; i < columns; ++i) y[i] = x[i] * r * gain[i];
    inverse[row] = r;
  }
}

PIPEDECK_KERNEL void rms_norm_backward(float* __restrict in_gradient, float* __restrict gain_gradient,
                                       const float* __restrict out_gradient, const float* __restrict in,
                                       const float* inverse, const float* __restrict gain, std::int64_t rows,
                                       std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* x = in + row * columns;
    const float* g = out_gradient + row * columns;
    const float r = inverse[row];
    float projection = 0;
#pragma omp simd reduction(+ : projection)
    for (std::int64_t i = 0; i < columns; ++i) projection += g[i] * gain[i] * x[i];
    for (std::int64_t i = 0; i < columns; ++i) gain_gradient[i] += g[i] * x[i] * r;
    if (in_gradient == nullptr) continue;
    float* to = in_gradient + row * columns;
    const float share = projection * r * r / static_cast<float>(columns);
    for (std::int64_t i = 0; i < columns; ++i) to[i] += r * (g[i] * gain[i] - share * x[i]);
  }
}

PIPEDECK_KERNEL void silu_gate(float* __restrict out, const float* __restrict in, std::int64_t rows,
                               std::int64_t width) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float *gate = in + row * 2 * width, *up = gate + width;
    for (std::int64_t i = 0; i < width; ++i) out[row * width + i] = gate[i] * logistic(gate[i]) * up[i];
  }
}

PIPEDECK_KERNEL void silu_gate_backward(float* __restrict in_gradient, const float* __restrict out_gradient,
                                        const float* __restrict in, std::int64_t rows, std::int64_t width) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float *gate = in + row * 2 * width, *up = gate + width, *g = out_gradient + row * width;
    float *to_gate = in_gradient + row * 2 * width, *to_up = to_gate + width;
    for (std::int64_t i = 0; i < width; ++i) {
      const float s = logistic(gate[i]);
      to_gate[i] = g[i] * up[i] * s * (1.0f + gate[i] * (1.0f - s));
      to_up[i] = g[i] * gate[i] * s;
    }
  }
}

PIPEDECK_KERNEL void rotate_heads(float* data, const RotatedHeads& heads, const float* __restrict cosine,
                                  const float* __restrict sine, std::int64_t positions, std::int64_t half,
                                  float direction) {
  for (std::int64_t row = 0; row < heads.rows; ++row) {
    const float *c = cosine + row % positions * half, *s = sine + row % positions * half;
    for (std::int64_t head = 0; head < heads.heads; ++head) {
      float* __restrict a = data + row * heads.row_stride + head * heads.head_stride;
      float* __restrict b = a + half;
      for (std::int64_t i = 0; i < half; ++i) {
        const float x = a[i], y = b[i], turn = direction * s[i];
        a[i] = x * c[i] - y * turn;
        b[i] = y * c[i] + x * turn;
      }
    }
  }
}

PIPEDECK_KERNEL void softmax_row(float* row, std::int64_t count, std::int64_t columns) {
  float most = row[0];
#pragma omp simd reduction(max : most)
  for (std::int64_t i = 0; i < count; ++i) most = larger(most, row[i]);
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) {
    row[i] = exponential(row[i] - most);
    sum += row[i];
  }
  const float share = 1.0f / sum;
  for (std::int64_t i = 0; i < count; ++i) row[i] *= share;
  for (std::int64_t i = count; i < columns; ++i) row[i] = 0;
}

PIPEDECK_KERNEL void softmax_row_backward(float* __restrict gradient, const float* __restrict probability,
                                          std::int64_t columns, float factor) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < columns; ++i) sum += gradient[i] * probability[i];
  for (std::int64_t i = 0; i < columns; ++i) gradient[i] = factor * probability[i] * (gradient[i] - sum);
}

PIPEDECK_KERNEL float largest_of_row(const float* row, std::int64_t columns) {
  float most = row[0];
#pragma omp simd reduction(max : most)
  for (std::int64_t i = 0; i < columns; ++i) most = larger(most, row[i]);
  return most;
}

PIPEDECK_KERNEL float exponentials_of_row(float* row, float most, std::int64_t columns) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < columns; ++i) {
    row[i] = exponential(row[i] - most);
    sum += row[i];
  }
  return sum;
}

PIPEDECK_KERNEL double cross_entropy_row(float* row, std::int64_t target, std::int64_t columns) {
  const float most = largest_of_row(row, columns), wanted = row[target] - most;
  const float sum = exponentials_of_row(row, most, columns);
  const float share = 1.0f / sum;
  for (std::int64_t i = 0; i < columns; ++i) row[i] *= share;
  row[target] -= 1.0f;
  return std::log(static_cast<double>(sum)) - static_cast<double>(wanted);
}

PIPEDECK_KERNEL bool all_finite(const float* values, std::int64_t count) {
  int found = 0;
  for (std::int64_t i = 0; i < count; ++i) found |= !(std::fabs(values[i]) <= std::numeric_limits<float>::max());
  return found == 0;
}

}  // namespace pipedeck::runtime::cpu
