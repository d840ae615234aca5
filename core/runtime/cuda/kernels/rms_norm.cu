// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/kernels/columns.cuh"
#include "core/runtime/cuda/kernels/rows.cuh"

namespace pipedeck::runtime::cuda {
namespace {

template <int Width, class To, class From>
__global__ void rms_norm_kernel(To* out, float* inverse, const From* in, const float* gain, float epsilon,
                                std::int64_t rows, std::int64_t columns) {
  auto* shared = shared_memory<float>();
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const std::int64_t begin = row * columns, step = static_cast<std::int64_t>(blockDim.x) * Width;
  float squares = 0;
  for (std::int64_t i = threadIdx.x * Width; i < columns; i += step) {
    const auto pack = load<Width>(in + begin + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) squares += pack.value[k] * pack.value[k];
  }
  const float mean = row_reduce(squares, shared, Adding{}) / static_cast<float>(columns);
  const float factor = 1.0f / sqrtf(mean + epsilon);
  for (std::int64_t i = threadIdx.x * Width; i < columns; i += step) {
    auto pack = load<Width>(in + begin + i);
    const auto gains = load<Width>(gain + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) pack.value[k] *= factor * gains.value[k];
    store(out + begin + i, pack);
  }
  if (threadIdx.x == 0) inverse[row] = factor;
}

template <class T>
struct RmsBackward {
  T* in_gradient;
  const T *more, *out_gradient, *in;
  const float *inverse, *gain;
};

/// in_gradient = more + inverse * (g - n * mean(g * n)), g = out_gradient * gain, n = in * inverse
template <int Width, class T>
__global__ void rms_norm_backward_kernel(RmsBackward<T> work, std::int64_t rows, std::int64_t columns) {
  auto* shared = shared_memory<float>();
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const std::int64_t begin = row * columns, step = static_cast<std::int64_t>(blockDim.x) * Width;
  const float factor = work.inverse[row];
  float projection = 0;
  for (std::int64_t i = threadIdx.x * Width; i < columns; i += step) {
    const auto gradient = load<Width>(work.out_gradient + begin + i), gains = load<Width>(work.gain + i),
               x = load<Width>(work.in + begin + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) projection += gradient.value[k] * gains.value[k] * x.value[k];
  }
  const float share = row_reduce(projection, shared, Adding{}) * factor * factor / static_cast<float>(columns);
  for (std::int64_t i = threadIdx.x * Width; i < columns; i += step) {
    const auto gradient = load<Width>(work.out_gradient + begin + i), gains = load<Width>(work.gain + i),
               x = load<Width>(work.in + begin + i);
    Pack<Width> to{};
    if (work.more != nullptr) to = load<Width>(work.more + begin + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) to.value[k] += factor * (gradient.value[k] * gains.value[k] - share * x.value[k]);
    store(work.in_gradient + begin + i, to);
  }
}

/// The gradient of the gains before its sum over the rows.
template <class T>
struct RmsGains {
  const T *out_gradient, *in;
  const float* inverse;
  std::int64_t columns;
  template <int Width>
  __device__ Pack<Width> at(std::int64_t row, std::int64_t column) const {
    auto pack = load<Width>(out_gradient + row * columns + column);
    const auto x = load<Width>(in + row * columns + column);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) pack.value[k] *= x.value[k] * inverse[row];
    return pack;
  }
};

}  // namespace

template <class To, class From>
void rms_norm(cudaStream_t stream, To* out, float* inverse, const From* in, const float* gain, float epsilon,
              std::int64_t rows, std::int64_t columns) {
  if (rows <= 0 || columns <= 0) return;
  constexpr int full = common_width<To, From>;
  with_width<full>(columns % full == 0 && are_aligned<full>(out, in) && are_aligned<full>(gain), [&](auto width) {
    const RowThreads threads = row_threads(divided_up(columns, width));
    launch(rms_norm_kernel<width, To, From>, {threads.blocks(rows), threads.threads(), sizeof(float) * warp_results},
           stream, out, inverse, in, gain, epsilon, rows, columns);
  });
}

template <class T>
void rms_norm_backward(cudaStream_t stream, T* in_gradient, const T* more, float* gain_gradient, const T* out_gradient,
                       const T* in, const float* inverse, const float* gain, void* scratch, std::int64_t rows,
                       std::int64_t columns) {
  if (rows <= 0 || columns <= 0) return;
  constexpr int full = full_width<T>;
  const RmsBackward<T> work{in_gradient, more, out_gradient, in, inverse, gain};
  const bool aligned =
      columns % full == 0 && are_aligned<full>(in_gradient, more, out_gradient, in) && are_aligned<full>(gain);
  // First, since in_gradient may be `more`, but not what the gains' sums read.
  column_sums<full>(stream, gain_gradient, RmsGains<T>{out_gradient, in, inverse, columns}, scratch, rows, columns,
                    are_aligned<full>(out_gradient, in));
  if (in_gradient == nullptr) return;
  with_width<full>(aligned, [&](auto width) {
    const RowThreads threads = row_threads(divided_up(columns, width));
    launch(rms_norm_backward_kernel<width, T>, {threads.blocks(rows), threads.threads(), sizeof(float) * warp_results},
           stream, work, rows, columns);
  });
}

#define PIPEDECK_INSTANTIATE(To, From)                                                                        \
  template void rms_norm<To, From>(cudaStream_t, To*, float*, const From*, const float*, float, std::int64_t, \
                                   std::int64_t);
PIPEDECK_INSTANTIATE(float, float)
PIPEDECK_INSTANTIATE(Bf16, float)
PIPEDECK_INSTANTIATE(Bf16, Bf16)
template void rms_norm_backward<float>(cudaStream_t, float*, const float*, float*, const float*, const float*,
                                       const float*, const float*, void*, std::int64_t, std::int64_t);
template void rms_norm_backward<Bf16>(cudaStream_t, Bf16*, const Bf16*, float*, const Bf16*, const Bf16*, const float*,
                                      const float*, void*, std::int64_t, std::int64_t);

}  // namespace pipedeck::runtime::cuda
