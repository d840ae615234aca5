// SPDX-License-Identifier: Apache-2.0
// One kernel for all element-wise operations. `Work` has at<Width>(index), which reads and writes Width values.
#pragma once

#include "core/runtime/cuda/kernels/pack.cuh"

namespace pipedeck::runtime::cuda {

inline constexpr int elementwise_threads = 256;

template <int Width, class Work>
__global__ void __launch_bounds__(elementwise_threads) each_kernel(Work work, std::int64_t count) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t all = static_cast<std::int64_t>(gridDim.x) * blockDim.x, packs = count / Width;
  for (std::int64_t i = first; i < packs; i += all) work.template at<Width>(i * Width);
  if constexpr (Width > 1) {
    const std::int64_t rest = packs * Width + first;
    if (rest < count) work.template at<1>(rest);
  }
}

/// `aligned`: all of the work's pointers are aligned for Width.
template <int Width, class Work>
void each(cudaStream_t stream, const Work& work, std::int64_t count, bool aligned) {
  if (count <= 0) return;
  with_width<Width>(aligned, [&](auto width) {
    const unsigned blocks = blocks_for(divided_up(divided_up(count, width), elementwise_threads));
    launch(each_kernel<width, Work>, {blocks, elementwise_threads}, stream, work, count);
  });
}

}  // namespace pipedeck::runtime::cuda
