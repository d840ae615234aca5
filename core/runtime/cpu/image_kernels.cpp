// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/image_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "core/runtime/cpu/vector_math.hpp"

namespace pipedeck::runtime::cpu {
namespace {

constexpr float batch_norm_epsilon = 1e-5f;  // of batch norm, as in PyTorch

/// The part of a window inside the image, along one side.
struct Span {
  std::int64_t begin, end;
};

PIPEDECK_INLINE Span inside(std::int64_t position, std::int64_t length, const layers::PoolShape& shape) {
  const std::int64_t first = position * shape.stride - shape.padding;
  return {std::max(first, std::int64_t{0}), std::min(first + shape.kernel, length)};
}

/// Calls visit(output pixel, rows and columns of the image under its window).
template <class Visit>
PIPEDECK_INLINE void each_window(const layers::PoolShape& shape, Visit visit) {
  const std::int64_t out_height = shape.out_height(), out_width = shape.out_width();
  for (std::int64_t y = 0; y < out_height; ++y)
    for (std::int64_t x = 0; x < out_width; ++x)
      visit((y * out_width + x) * shape.channels, inside(y, shape.height, shape), inside(x, shape.width, shape));
}

template <class Visit>
PIPEDECK_INLINE void each_pixel(const layers::PoolShape& shape, Span rows, Span columns, Visit visit) {
  for (std::int64_t y = rows.begin; y < rows.end; ++y)
    for (std::int64_t x = columns.begin; x < columns.end; ++x) visit((y * shape.width + x) * shape.channels);
}

PIPEDECK_INLINE void raise_to(float* __restrict most, const float* __restrict values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) most[i] = std::max(most[i], values[i]);
}

PIPEDECK_INLINE void add_scaled(float* __restrict to, const float* __restrict from, float factor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

/// Adds `gradient` to the values that are the window's largest and were not found before.
PIPEDECK_INLINE void scatter_to_argmax(float* __restrict to, float* __restrict taken, const float* __restrict gradient,
                                       const float* __restrict values, const float* __restrict most,
                                       std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float share = values[i] == most[i] ? 1.0f - taken[i] : 0.0f;
    to[i] += share * gradient[i];
    taken[i] += share;
  }
}

PIPEDECK_INLINE float share(Span rows, Span columns) {
  return 1.0f / static_cast<float>((rows.end - rows.begin) * (columns.end - columns.begin));
}

}  // namespace

PIPEDECK_KERNEL void max_pool(float* out, const float* in, const layers::PoolShape& shape, std::int64_t samples) {
  for (std::int64_t n = 0; n < samples; ++n, out += shape.out_values(), in += shape.in_values())
    each_window(
        shape, [&](std::int64_t pixel, Span rows, Span columns) __attribute__((always_inline)) {
          std::copy_n(in + (rows.begin * shape.width + columns.begin) * shape.channels, shape.channels, out + pixel);
          each_pixel(
              shape, rows, columns, [&](std::int64_t from) __attribute__((always_inline)) {
                raise_to(out + pixel, in + from, shape.channels);
              });
        });
}

PIPEDECK_KERNEL void max_pool_backward(float* in_gradient, const float* out_gradient, const float* in, float* scratch,
                                       const layers::PoolShape& shape, std::int64_t samples) {
  float *most = scratch, *taken = scratch + shape.channels;
  for (std::int64_t n = 0; n < samples; ++n) {
    each_window(
        shape, [&](std::int64_t pixel, Span rows, Span columns) __attribute__((always_inline)) {
          std::copy_n(in + (rows.begin * shape.width + columns.begin) * shape.channels, shape.channels, most);
          each_pixel(
              shape, rows, columns, [&](std::int64_t from) __attribute__((always_inline)) {
                raise_to(most, in + from, shape.channels);
              });
          std::fill_n(taken, shape.channels, 0.0f);
          each_pixel(
              shape, rows, columns, [&](std::int64_t from) __attribute__((always_inline)) {
                scatter_to_argmax(in_gradient + from, taken, out_gradient + pixel, in + from, most, shape.channels);
              });
        });
    in += shape.in_values(), in_gradient += shape.in_values(), out_gradient += shape.out_values();
  }
}

PIPEDECK_KERNEL void average_pool(float* out, const float* in, const layers::PoolShape& shape, std::int64_t samples) {
  for (std::int64_t n = 0; n < samples; ++n, out += shape.out_values(), in += shape.in_values())
    each_window(
        shape, [&](std::int64_t pixel, Span rows, Span columns) __attribute__((always_inline)) {
          std::fill_n(out + pixel, shape.channels, 0.0f);
          const float factor = share(rows, columns);
          each_pixel(
              shape, rows, columns, [&](std::int64_t from) __attribute__((always_inline)) {
                add_scaled(out + pixel, in + from, factor, shape.channels);
              });
        });
}

PIPEDECK_KERNEL void average_pool_backward(float* in_gradient, const float* out_gradient,
                                           const layers::PoolShape& shape, std::int64_t samples) {
  for (std::int64_t n = 0; n < samples; ++n, in_gradient += shape.in_values(), out_gradient += shape.out_values())
    each_window(
        shape, [&](std::int64_t pixel, Span rows, Span columns) __attribute__((always_inline)) {
          const float factor = share(rows, columns);
          each_pixel(
              shape, rows, columns, [&](std::int64_t to) __attribute__((always_inline)) {
                add_scaled(in_gradient + to, out_gradient + pixel, factor, shape.channels);
              });
        });
}

PIPEDECK_KERNEL void column_statistics(float* __restrict mean, float* __restrict inverse, const float* __restrict in,
                                       std::int64_t rows, std::int64_t columns) {
  const float part = 1.0f / static_cast<float>(rows);
  std::fill_n(mean, columns, 0.0f);
  std::fill_n(inverse, columns, 0.0f);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < columns; ++i) mean[i] += in[row * columns + i];
  for (std::int64_t i = 0; i < columns; ++i) mean[i] *= part;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < columns; ++i) {
      const float apart = in[row * columns + i] - mean[i];
      inverse[i] += apart * apart;
    }
  for (std::int64_t i = 0; i < columns; ++i) inverse[i] = 1.0f / std::sqrt(inverse[i] * part + batch_norm_epsilon);
}

PIPEDECK_KERNEL void normalise_columns(float* out, const float* in, const float* __restrict mean,
                                       const float* __restrict inverse, const float* __restrict gain,
                                       const float* __restrict shift, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* x = in + row * columns;
    float* y = out + row * columns;
#pragma omp simd
    for (std::int64_t i = 0; i < columns; ++i) y[i] = (x[i] - mean[i]) * (inverse[i] * gain[i]) + shift[i];
  }
}

PIPEDECK_KERNEL void normalise_columns_backward(float* __restrict gradient, float* __restrict gain_gradient,
                                                float* __restrict shift_gradient, const float* __restrict in,
                                                const float* __restrict mean, const float* __restrict inverse,
                                                const float* __restrict gain, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < columns; ++i) {
      const float g = gradient[row * columns + i];
      shift_gradient[i] += g;
      gain_gradient[i] += g * (in[row * columns + i] - mean[i]) * inverse[i];
    }
  const float part = 1.0f / static_cast<float>(rows);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < columns; ++i) {
      float& g = gradient[row * columns + i];
      const float normal = (in[row * columns + i] - mean[i]) * inverse[i];
      g = gain[i] * inverse[i] * (g - part * (shift_gradient[i] + normal * gain_gradient[i]));
    }
}

}  // namespace pipedeck::runtime::cpu
