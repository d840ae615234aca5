// SPDX-License-Identifier: Apache-2.0
// Transposes tile by tile through shared memory, so that both matrices are accessed row by row.
#include "core/runtime/cuda/kernels.hpp"

#include "core/runtime/cuda/kernels/pack.cuh"

namespace pipedeck::runtime::cuda {
namespace {

constexpr int tile = 32, tile_rows = 8;  ///< a thread copies tile / tile_rows values
constexpr int pitch = tile + 1;          ///< columns of a tile in different banks of shared memory
constexpr std::size_t shared_bytes = sizeof(float) * tile * pitch;

/// `tiles` per row of tiles, `all` in total.
template <bool Adds, class To, class From>
__global__ void __launch_bounds__(tile* tile_rows)
    transpose_kernel(To* to, std::int64_t to_stride, const From* from, std::int64_t from_stride, std::int64_t rows,
                     std::int64_t columns, std::int64_t tiles, std::int64_t all) {
  auto* values = shared_memory<float>();
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  for (std::int64_t at = blockIdx.x; at < all; at += gridDim.x) {
    const std::int64_t row = at / tiles * tile, column = at % tiles * tile;
    for (int i = y; i < tile; i += tile_rows)
      if (row + i < rows && column + x < columns)
        values[i * pitch + x] = load<1>(from + (row + i) * from_stride + column + x).value[0];
    __syncthreads();
    for (int i = y; i < tile; i += tile_rows)
      if (column + i < columns && row + x < rows) {
        To* const place = to + (column + i) * to_stride + row + x;
        Pack<1> pack{{values[x * pitch + i]}};
        if constexpr (Adds) pack.value[0] += load<1>(place).value[0];
        store(place, pack);
      }
    __syncthreads();  // the next tile takes this one's place
  }
}

template <bool Adds, class To, class From>
void run(cudaStream_t stream, To* to, std::int64_t to_stride, const From* from, std::int64_t from_stride,
         std::int64_t rows, std::int64_t columns) {
  if (rows <= 0 || columns <= 0) return;
  const std::int64_t tiles = divided_up(columns, tile), all = tiles * divided_up(rows, tile);
  launch(transpose_kernel<Adds, To, From>, {blocks_for(all), {tile, tile_rows}, shared_bytes}, stream, to, to_stride,
         from, from_stride, rows, columns, tiles, all);
}

}  // namespace

template <class To, class From>
void transpose(cudaStream_t stream, To* to, std::int64_t to_stride, const From* from, std::int64_t from_stride,
               std::int64_t rows, std::int64_t columns) {
  run<false>(stream, to, to_stride, from, from_stride, rows, columns);
}
template <class To, class From>
void add_transpose(cudaStream_t stream, To* to, std::int64_t to_stride, const From* from, std::int64_t from_stride,
                   std::int64_t rows, std::int64_t columns) {
  run<true>(stream, to, to_stride, from, from_stride, rows, columns);
}

template void transpose(cudaStream_t, float*, std::int64_t, const float*, std::int64_t, std::int64_t, std::int64_t);
template void transpose(cudaStream_t, __nv_bfloat16*, std::int64_t, const float*, std::int64_t, std::int64_t,
                        std::int64_t);
template void add_transpose(cudaStream_t, float*, std::int64_t, const float*, std::int64_t, std::int64_t, std::int64_t);
template void add_transpose(cudaStream_t, float*, std::int64_t, const __nv_bfloat16*, std::int64_t, std::int64_t,
                            std::int64_t);

}  // namespace pipedeck::runtime::cuda
