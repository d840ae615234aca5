// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/kernels/each.cuh"

namespace pipedeck::runtime::cuda {
namespace {

__device__ inline float logistic(float x) { return 1.0f / (1.0f + expf(-x)); }

template <class T>
struct Gate {
  T* out;
  const T* in;
  std::int64_t columns;
  template <int Width>
  __device__ void at(std::int64_t row, std::int64_t column) const {
    const T* const from = in + row * 2 * columns + column;
    auto gate = load<Width>(from);
    const auto up = load<Width>(from + columns);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) gate.value[k] *= logistic(gate.value[k]) * up.value[k];
    store(out + row * columns + column, gate);
  }
};

template <class T>
struct GateBackward {
  T* in_gradient;
  const T *out_gradient, *in;
  std::int64_t columns;
  template <int Width>
  __device__ void at(std::int64_t row, std::int64_t column) const {
    const std::int64_t from = row * 2 * columns + column;
    auto gate = load<Width>(in + from), up = load<Width>(in + from + columns);
    const auto gradient = load<Width>(out_gradient + row * columns + column);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) {
      const float x = gate.value[k], s = logistic(x), u = up.value[k];
      gate.value[k] = gradient.value[k] * u * s * (1.0f + x * (1.0f - s));
      up.value[k] = gradient.value[k] * x * s;
    }
    store(in_gradient + from, gate);
    store(in_gradient + from + columns, up);
  }
};

/// A block has some columns of each row whose number is its own, modulo the grid's height.
template <int Width, class Work>
__global__ void __launch_bounds__(elementwise_threads) gate_kernel(Work work, std::int64_t rows) {
  const std::int64_t column = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * Width;
  if (column >= work.columns) return;
  for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) work.template at<Width>(row, column);
}

template <class T, class Work>
void launch_gate(cudaStream_t stream, const Work& work, std::int64_t rows, bool aligned) {
  if (rows <= 0 || work.columns <= 0) return;
  with_width<full_width<T>>(aligned && work.columns % full_width<T> == 0, [&](auto width) {
    const std::int64_t across = divided_up(divided_up(work.columns, width), elementwise_threads);
    const dim3 blocks{static_cast<unsigned>(across), blocks_for(rows, divided_up(4096, across))};
    launch(gate_kernel<width, Work>, {blocks, elementwise_threads}, stream, work, rows);
  });
}

}  // namespace

template <class T>
void silu_gate(cudaStream_t stream, T* out, const T* in, std::int64_t rows, std::int64_t columns) {
  launch_gate<T>(stream, Gate<T>{out, in, columns}, rows, are_aligned<full_width<T>>(out, in));
}

template <class T>
void silu_gate_backward(cudaStream_t stream, T* in_gradient, const T* out_gradient, const T* in, std::int64_t rows,
                        std::int64_t columns) {
  launch_gate<T>(stream, GateBackward<T>{in_gradient, out_gradient, in, columns}, rows,
                 are_aligned<full_width<T>>(in_gradient, out_gradient, in));
}

#define PIPEDECK_INSTANTIATE(T)                                                       \
  template void silu_gate<T>(cudaStream_t, T*, const T*, std::int64_t, std::int64_t); \
  template void silu_gate_backward<T>(cudaStream_t, T*, const T*, const T*, std::int64_t, std::int64_t);
PIPEDECK_INSTANTIATE(float)
PIPEDECK_INSTANTIATE(Bf16)

}  // namespace pipedeck::runtime::cuda
