// SPDX-License-Identifier: Apache-2.0
// Operations of a warp's lanes on tensor cores, by the layouts of the PTX ISA ("Matrix Fragments for mma.m16n8k16",
// "ldmatrix"). A register holds two bf16, the lower index in the lower half.
#pragma once

#include <cuda_on_host/kernel.hpp>

namespace cuda_on_host {

inline float bf16_of(unsigned pair, int which) {
  return std::bit_cast<float>(which == 0 ? pair << 16 : pair & 0xffff0000u);
}

/// sum += a b for a warp's 16 x 16 a and 16 x 8 b: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
inline void multiply_add_16x8x16(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  struct Lane {
    float* sum;
    const unsigned *a, *b;
  } own{sum, a, b};
  meet_in_warp(
      0xffffffffu,
      [](void* const* all, unsigned) {
        const auto lane = [&](int i) -> const Lane& { return *static_cast<const Lane*>(all[i]); };
        float of_a[16][16], of_b[16][8];
        for (int i = 0; i < 32; ++i)
          for (int half = 0; half < 2; ++half) {
            const int group = i / 4, k = i % 4 * 2 + half;
            for (int n = 0; n < 4; ++n) of_a[group + n % 2 * 8][k + n / 2 * 8] = bf16_of(lane(i).a[n], half);
            for (int n = 0; n < 2; ++n) of_b[k + n * 8][group] = bf16_of(lane(i).b[n], half);
          }
        for (int i = 0; i < 32; ++i)
          for (int n = 0; n < 4; ++n) {
            const int row = i / 4 + n / 2 * 8, column = i % 4 * 2 + n % 2;
            float product = 0;
            for (int k = 0; k < 16; ++k) product += of_a[row][k] * of_b[k][column];
            lane(i).sum[n] += product;
          }
      },
      &own);
}

/// Loads four 8 x 8 matrices with the row addresses of lanes 0 to 7, 8 to 15 and so on, each transposed:
/// ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
inline void load_four_transposed(unsigned (&to)[4], const void* row) {
  struct Lane {
    unsigned* to;
    std::uint16_t row[8];
  } own{to, {}};
  check_aligned(row, 16);
  for (int i = 0; i < 8; ++i) own.row[i] = static_cast<const std::uint16_t*>(row)[i];
  meet_in_warp(
      0xffffffffu,
      [](void* const* all, unsigned) {
        const auto lane = [&](int i) -> const Lane& { return *static_cast<const Lane*>(all[i]); };
        for (int i = 0; i < 32; ++i)
          for (int matrix = 0; matrix < 4; ++matrix) {
            const auto at = [&](int r) { return unsigned{lane(matrix * 8 + r).row[i / 4]}; };
            lane(i).to[matrix] = at(i % 4 * 2) | at(i % 4 * 2 + 1) << 16;
          }
      },
      &own);
}

}  // namespace cuda_on_host
