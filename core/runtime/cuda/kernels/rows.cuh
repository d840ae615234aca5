// SPDX-License-Identifier: Apache-2.0
// Blocks that work on whole rows. Threads along x share a row; threads along y have separate rows (then a row belongs
// to one warp). Reductions give the same bits in all of a row's threads, in every run.
#pragma once

#include "core/runtime/cuda/kernels/pack.cuh"

namespace pipedeck::runtime::cuda {

inline constexpr unsigned full_warp_mask = 0xffffffffu;
inline constexpr std::size_t warp_results = 32;           ///< floats of shared memory that row_reduce needs
inline constexpr std::size_t most_row_bytes = 48 * 1024;  ///< of shared memory, to cache a row between two uses

struct RowThreads {
  unsigned lanes, rows;
  dim3 threads() const { return {lanes, rows}; }
  unsigned blocks(std::int64_t all_rows) const { return static_cast<unsigned>(divided_up(all_rows, rows)); }
};

/// Returns a warp for rows of a few packs, and up to 512 threads for long ones.
inline RowThreads row_threads(std::int64_t packs) {
  if (packs <= 128) return {32, 4};
  const std::int64_t lanes = divided_up(packs, 64) * 32;
  return {static_cast<unsigned>(lanes < 512 ? lanes : 512), 1};
}

struct Adding {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
  __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};

template <class Combine>
__device__ float warp_reduce(float value, Combine combine) {
  PIPEDECK_UNROLL
  for (int distance = 16; distance > 0; distance /= 2)
    value = combine(value, __shfl_xor_sync(full_warp_mask, value, distance));
  return value;
}

/// `shared` has warp_results floats. All threads of the block call it, or those of whole rows if a row is a warp's.
template <class Combine>
__device__ float row_reduce(float value, float* shared, Combine combine) {
  value = warp_reduce(value, combine);
  if (blockDim.x == 32) return value;
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  value = shared[0];
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) value = combine(value, shared[warp]);
  __syncthreads();  // `shared` may be used again
  return value;
}

}  // namespace pipedeck::runtime::cuda
