// SPDX-License-Identifier: Apache-2.0
// Sums of a matrix's columns in two passes, each in an order that depends only on the shape: blocks add the rows of
// their part, then the parts are added. `Work` has at<Width>(row, column), which returns Width values to add.
#pragma once

#include "core/runtime/cuda/kernels/pack.cuh"

namespace pipedeck::runtime::cuda {

inline constexpr int column_lanes = 32, column_rows = 8;  // threads of a block

/// Returns the number of parts that the rows are split into.
inline std::int64_t column_parts(std::int64_t rows) {
  const std::int64_t parts = divided_up(rows, 64);
  return parts < 1 ? 1 : parts < 128 ? parts : 128;
}

/// Row `part` of `partial` = the sums of that part's rows.
template <int Width, class Work>
__global__ void __launch_bounds__(column_lanes* column_rows)
    column_sums_kernel(Work work, float* partial, std::int64_t rows, std::int64_t columns) {
  auto* shared = shared_memory<float>();
  const std::int64_t column = (static_cast<std::int64_t>(blockIdx.x) * column_lanes + threadIdx.x) * Width;
  const std::int64_t first = rows * blockIdx.y / gridDim.y, end = rows * (blockIdx.y + 1) / gridDim.y;
  Pack<Width> sum{};
  if (column < columns)
    for (std::int64_t row = first + threadIdx.y; row < end; row += column_rows) {
      const Pack<Width> pack = work.template at<Width>(row, column);
      PIPEDECK_UNROLL
      for (int k = 0; k < Width; ++k) sum.value[k] += pack.value[k];
    }
  // Lane by lane within each k, so that the lanes of a warp use different banks.
  PIPEDECK_UNROLL
  for (int k = 0; k < Width; ++k) shared[(threadIdx.y * Width + k) * column_lanes + threadIdx.x] = sum.value[k];
  __syncthreads();
  if (threadIdx.y != 0 || column >= columns) return;
  PIPEDECK_UNROLL
  for (int k = 0; k < Width; ++k)
    for (int y = 1; y < column_rows; ++y) sum.value[k] += shared[(y * Width + k) * column_lanes + threadIdx.x];
  store(partial + blockIdx.y * columns + column, sum);
}

/// sums += `parts` rows of `columns` values, each row `stride` after the one before.
void add_parts(cudaStream_t stream, float* sums, const float* partial, std::int64_t parts, std::int64_t columns,
               std::int64_t stride);

/// sums += the columns' sums. `aligned`: the work's pointers are aligned for Width in every row.
template <int Width, class Work>
void column_sums(cudaStream_t stream, float* sums, const Work& work, void* scratch, std::int64_t rows,
                 std::int64_t columns, bool aligned) {
  if (rows <= 0 || columns <= 0) return;
  const std::int64_t parts = column_parts(rows);
  auto* partial = static_cast<float*>(scratch);
  with_width<Width>(aligned && columns % Width == 0, [&](auto width) {
    launch(column_sums_kernel<width, Work>,
           {{static_cast<unsigned>(divided_up(columns, width * column_lanes)), static_cast<unsigned>(parts)},
            {column_lanes, column_rows},
            sizeof(float) * width * column_lanes * column_rows},
           stream, work, partial, rows, columns);
  });
  add_parts(stream, sums, partial, parts, columns, columns);
}

}  // namespace pipedeck::runtime::cuda
