// SPDX-License-Identifier: Apache-2.0
// Products of small matrices in shared memory, each by 16 x 16 threads. Thread (x, y) has rows y, y + 16, ... and
// columns x, x + 16, ... of the result in its registers. The threads of a warp read neighbouring banks or the same
// value.
#pragma once

#include "core/runtime/cuda/kernels/pack.cuh"

namespace pipedeck::runtime::cuda {

inline constexpr int tile_side = 16, tile_threads = tile_side * tile_side;
/// Floats from a row to the next: 16-byte aligned, and eight consecutive rows begin at different banks.
template <int Columns>
inline constexpr int tile_stride = Columns + 4;

__device__ inline int tile_x() { return static_cast<int>(threadIdx.x) % tile_side; }
__device__ inline int tile_y() { return static_cast<int>(threadIdx.x) / tile_side; }

/// sum[i][j] += row y + 16 i of a times row x + 16 j of b: a b^T.
template <int Length, int I, int J>
__device__ void add_rows_product(float (&sum)[I][J], const float* a, const float* b) {
  constexpr int stride = tile_stride<Length>;
  PIPEDECK_UNROLL
  for (int k = 0; k < Length; k += 4) {
    Pack<4> of_a[I], of_b[J];
    PIPEDECK_UNROLL
    for (int i = 0; i < I; ++i) of_a[i] = load<4>(a + (tile_y() + tile_side * i) * stride + k);
    PIPEDECK_UNROLL
    for (int j = 0; j < J; ++j) of_b[j] = load<4>(b + (tile_x() + tile_side * j) * stride + k);
    PIPEDECK_UNROLL
    for (int i = 0; i < I; ++i) PIPEDECK_UNROLL
    for (int j = 0; j < J; ++j) PIPEDECK_UNROLL
    for (int n = 0; n < 4; ++n) sum[i][j] += of_a[i].value[n] * of_b[j].value[n];
  }
}

/// sum[i][j] += row y + 16 i of a times column x + 16 j of b: a b. a has `Length` columns, b has `Length` rows.
template <int Length, int Columns, int I, int J>
__device__ void add_product(float (&sum)[I][J], const float* a, const float* b) {
  PIPEDECK_UNROLL
  for (int k = 0; k < Length; k += 4) {
    Pack<4> of_a[I];
    PIPEDECK_UNROLL
    for (int i = 0; i < I; ++i) of_a[i] = load<4>(a + (tile_y() + tile_side * i) * tile_stride<Length> + k);
    PIPEDECK_UNROLL
    for (int n = 0; n < 4; ++n) PIPEDECK_UNROLL
    for (int j = 0; j < J; ++j) {
      const float of_b = b[(k + n) * tile_stride<Columns> + tile_x() + tile_side * j];
      PIPEDECK_UNROLL
      for (int i = 0; i < I; ++i) sum[i][j] += of_a[i].value[n] * of_b;
    }
  }
}

/// sum[i][j] += column y + 16 i of a times column x + 16 j of b: a^T b. Both have `Length` rows.
template <int Length, int ColumnsOfA, int Columns, int I, int J>
__device__ void add_columns_product(float (&sum)[I][J], const float* a, const float* b) {
  PIPEDECK_UNROLL
  for (int k = 0; k < Length; ++k) {
    float of_a[I];
    PIPEDECK_UNROLL
    for (int i = 0; i < I; ++i) of_a[i] = a[k * tile_stride<ColumnsOfA> + tile_y() + tile_side * i];
    PIPEDECK_UNROLL
    for (int j = 0; j < J; ++j) {
      const float of_b = b[k * tile_stride<Columns> + tile_x() + tile_side * j];
      PIPEDECK_UNROLL
      for (int i = 0; i < I; ++i) sum[i][j] += of_a[i] * of_b;
    }
  }
}

}  // namespace pipedeck::runtime::cuda
