// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/kernels/each.cuh"

namespace pipedeck::runtime::cuda {
namespace {

struct Largest {
  float* to;
  const float* from;
  template <int Width>
  __device__ void at(std::int64_t i) const {
    auto pack = load<Width>(to + i);
    const auto other = load<Width>(from + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) pack.value[k] = pack.value[k] < other.value[k] ? other.value[k] : pack.value[k];
    store(to + i, pack);
  }
};

}  // namespace

void largest(cudaStream_t stream, float* to, const float* from, std::int64_t count) {
  constexpr int width = full_width<float>;
  each<width>(stream, Largest{to, from}, count, are_aligned<width>(to, from));
}

}  // namespace pipedeck::runtime::cuda
