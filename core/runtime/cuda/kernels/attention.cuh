// SPDX-License-Identifier: Apache-2.0
// Shared parts of the attention kernels on plain cores and on tensor cores.
#pragma once

#include "core/runtime/cuda/kernels/pack.cuh"

namespace pipedeck::runtime::cuda {

/// The heads of all samples and their memory layout.
struct Heads {
  std::int64_t sequence, heads, hidden;
  int size;  ///< of a head; tiles have this many columns or more, padded with 0
  bool causal;
  bool aligned;  ///< every row of a head can be loaded in vectors of 128 bits
  float scale;   ///< 1 / sqrt(size)
};

template <class T>
struct Gradients {
  T* qkv_gradient;
  const T *out_gradient, *qkv;
  const float *logsumexp, *delta;
  Heads heads;
};

/// A block's part of a head.
struct Place {
  std::int64_t sample, head, first;
};

/// Returns a block's place. For a causal head the last tiles of queries and the first tiles of keys have the most work:
/// they begin first.
__device__ inline Place place_of(const Heads& heads, int tile_rows, bool last_first) {
  const std::int64_t tiles = (heads.sequence + tile_rows - 1) / tile_rows, all = gridDim.x / tiles;
  const std::int64_t tile = blockIdx.x / all, which = blockIdx.x % all;
  return {which / heads.heads, which % heads.heads, (last_first ? tiles - 1 - tile : tile) * tile_rows};
}

/// Returns the number of blocks. Throws std::invalid_argument beyond a GPU's limit.
unsigned blocks_of(const AttentionShape& shape, int tile_rows);

/// bf16 heads of up to this many values use tensor cores.
inline constexpr std::int64_t largest_head_on_tensor_cores = 128;
void attention_on_tensor_cores(cudaStream_t stream, Bf16* out, float* logsumexp, const Bf16* qkv,
                               const AttentionShape& shape, const Heads& heads);
void attention_backward_on_tensor_cores(cudaStream_t stream, const Gradients<Bf16>& work, const AttentionShape& shape);

}  // namespace pipedeck::runtime::cuda
