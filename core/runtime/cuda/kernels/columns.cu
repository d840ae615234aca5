// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/kernels/columns.cuh"

namespace pipedeck::runtime::cuda {
namespace {

/// sums += the rows of `partial`.
__global__ void __launch_bounds__(column_lanes* column_rows)
    add_parts_kernel(float* sums, const float* partial, std::int64_t parts, std::int64_t columns, std::int64_t stride) {
  auto* shared = shared_memory<float>();
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * column_lanes + threadIdx.x;
  float sum = 0;
  if (column < columns)
    for (std::int64_t part = threadIdx.y; part < parts; part += column_rows) sum += partial[part * stride + column];
  shared[threadIdx.y * column_lanes + threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= columns) return;
  for (int y = 1; y < column_rows; ++y) sum += shared[y * column_lanes + threadIdx.x];
  sums[column] += sum;
}

}  // namespace

void add_parts(cudaStream_t stream, float* sums, const float* partial, std::int64_t parts, std::int64_t columns,
               std::int64_t stride) {
  launch(add_parts_kernel,
         {static_cast<unsigned>(divided_up(columns, column_lanes)),
          {column_lanes, column_rows},
          column_lanes * column_rows * sizeof(float)},
         stream, sums, partial, parts, columns, stride);
}

}  // namespace pipedeck::runtime::cuda
