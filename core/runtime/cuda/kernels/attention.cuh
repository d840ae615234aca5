// SPDX-License-Identifier: Apache-2.0
// What the kernels of attention on plain cores and on tensor cores share.
#pragma once

#include "core/runtime/cuda/kernels/pack.cuh"

namespace pipedeck::cuda {

/// The heads of all samples and where they lie.
struct Heads {
  std::int64_t sequence, heads, hidden;
  int size;  ///< of a head; tiles have as many columns or, filled up with 0, more
  bool causal;
  bool aligned;  ///< whether every row of a head can be moved in vectors of 128 bits
  float scale;   ///< 1 / sqrt(size)
};

template <class T>
struct Gradients {
  T* qkv_gradient;
  const T *out_gradient, *qkv;
  const float *logsumexp, *delta;
  Heads heads;
};

/// Which part of which head a block has.
struct Place {
  std::int64_t sample, head, first;
};

/// The last tiles of a causal head's queries have most to do, the first of its keys: they begin first.
__device__ inline Place place_of(const Heads& heads, int tile_rows, bool last_first) {
  const std::int64_t tiles = (heads.sequence + tile_rows - 1) / tile_rows, all = gridDim.x / tiles;
  const std::int64_t tile = blockIdx.x / all, which = blockIdx.x % all;
  return {which / heads.heads, which % heads.heads, (last_first ? tiles - 1 - tile : tile) * tile_rows};
}

/// Throws std::invalid_argument where a GPU does not take as many.
unsigned blocks_of(const AttentionShape& shape, int tile_rows);

/// Heads of up to so many values go to tensor cores where they are bf16.
inline constexpr std::int64_t largest_head_on_tensor_cores = 128;
void attention_on_tensor_cores(cudaStream_t stream, Bf16* out, float* logsumexp, const Bf16* qkv,
                               const AttentionShape& shape, const Heads& heads);
void attention_backward_on_tensor_cores(cudaStream_t stream, const Gradients<Bf16>& work, const AttentionShape& shape);

}  // namespace pipedeck::cuda
