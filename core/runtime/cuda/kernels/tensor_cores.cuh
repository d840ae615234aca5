// SPDX-License-Identifier: Apache-2.0
// Products of bf16 matrices by a warp on tensor cores, summed in fp32. The PTX ISA defines each lane's values ("Matrix
// Fragments for mma.m16n8k16"): lane 4 g + t holds rows g and g + 8, columns 2 t and 2 t + 1 of a result.
#pragma once

#include "core/runtime/cuda/kernels/pack.cuh"

#ifndef __CUDACC__
#include <cuda_on_host/tensor_cores.hpp>
#endif

namespace pipedeck::runtime::cuda {

/// Fragments: 16 x 16 values of the left factor, 16 x 8 of the right one, 16 x 8 of the result.
struct LeftFragment {
  unsigned pair[4];
};
struct RightFragment {
  unsigned pair[2];
};
struct ResultFragment {
  float value[4];  ///< (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1)
};

__device__ inline int lane_group() { return static_cast<int>(threadIdx.x) % 32 / 4; }
__device__ inline int lane_pair() { return static_cast<int>(threadIdx.x) % 4 * 2; }

__device__ inline unsigned pair_of(float lower, float upper) {
  return static_cast<unsigned>(__bfloat16_as_ushort(__float2bfloat16_rn(lower))) |
         static_cast<unsigned>(__bfloat16_as_ushort(__float2bfloat16_rn(upper))) << 16;
}

/// sum += left right
__device__ inline void multiply_add(ResultFragment& sum, const LeftFragment& left, const RightFragment& right) {
#ifdef __CUDACC__
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum.value[0]), "+f"(sum.value[1]), "+f"(sum.value[2]), "+f"(sum.value[3])
      : "r"(left.pair[0]), "r"(left.pair[1]), "r"(left.pair[2]), "r"(left.pair[3]), "r"(right.pair[0]),
        "r"(right.pair[1]));
#else
  cuda_on_host::multiply_add_16x8x16(sum.value, left.pair, right.pair);
#endif
}

/// Loads rows 0 to 15 and columns 0 to 15 from `from` on, rows `stride` apart (even).
__device__ inline LeftFragment load_left(const Bf16* from, int stride) {
  const Bf16* own = from + lane_group() * stride + lane_pair();
  return {{load_vector<unsigned>(own), load_vector<unsigned>(own + 8 * stride), load_vector<unsigned>(own + 8),
           load_vector<unsigned>(own + 8 * stride + 8)}};
}

/// Loads the transpose of rows 0 to 7 and columns 0 to 15: a right factor whose columns are stored as rows.
__device__ inline RightFragment load_right_from_rows(const Bf16* from, int stride) {
  const Bf16* own = from + lane_group() * stride + lane_pair();
  return {{load_vector<unsigned>(own), load_vector<unsigned>(own + 8)}};
}

struct RightFragmentPair {
  RightFragment of[2];
};

/// Loads rows 0 to 15 of columns 0 to 7, and of columns 8 to 15. Rows are 16-byte aligned.
__device__ inline RightFragmentPair load_right_pair(const Bf16* from, int stride) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Bf16* row = from + lane % 16 * stride + lane / 16 * 8;
  unsigned pair[4];
#ifdef __CUDACC__
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(pair[0]), "=r"(pair[1]), "=r"(pair[2]), "=r"(pair[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
#else
  cuda_on_host::load_four_transposed(pair, row);
#endif
  return {{{{pair[0], pair[1]}}, {{pair[2], pair[3]}}}};
}

/// Converts two neighbouring 16 x 8 results, rounded, to a left factor: each lane already has its values.
__device__ inline LeftFragment as_left(const ResultFragment& first, const ResultFragment& second) {
  return {{pair_of(first.value[0], first.value[1]), pair_of(first.value[2], first.value[3]),
           pair_of(second.value[0], second.value[1]), pair_of(second.value[2], second.value[3])}};
}

}  // namespace pipedeck::runtime::cuda
