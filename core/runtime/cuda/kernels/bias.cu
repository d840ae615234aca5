// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/kernels/columns.cuh"
#include "core/runtime/cuda/kernels/functions.cuh"
#include "core/runtime/cuda/kernels/pack.cuh"

namespace pipedeck::runtime::cuda {
namespace {

/// out = Function(in + bias). A thread holds its columns' bias for all of its rows.
template <int Width, class T, class Function>
__global__ void __launch_bounds__(column_lanes* column_rows)
    bias_kernel(T* out, const T* in, const float* bias, Function function, std::int64_t rows, std::int64_t columns,
                std::int64_t stride) {
  const std::int64_t column = (static_cast<std::int64_t>(blockIdx.x) * column_lanes + threadIdx.x) * Width;
  if (column >= columns) return;
  const auto added = load<Width>(bias + column);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * column_rows + threadIdx.y;
  for (std::int64_t row = first; row < rows; row += static_cast<std::int64_t>(gridDim.y) * column_rows) {
    auto pack = load<Width>(in + row * stride + column);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) pack.value[k] = function(pack.value[k] + added.value[k]);
    store(out + row * stride + column, pack);
  }
}

/// in += bias, out = gelu(in). A thread holds its columns' bias for all of its rows.
template <int Width, class T>
__global__ void __launch_bounds__(column_lanes* column_rows)
    add_bias_gelu_kernel(T* out, T* in, const float* bias, std::int64_t rows, std::int64_t columns) {
  const std::int64_t column = (static_cast<std::int64_t>(blockIdx.x) * column_lanes + threadIdx.x) * Width;
  if (column >= columns) return;
  const auto added = load<Width>(bias + column);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * column_rows + threadIdx.y;
  for (std::int64_t row = first; row < rows; row += static_cast<std::int64_t>(gridDim.y) * column_rows) {
    const std::int64_t i = row * columns + column;
    auto pack = load<Width>(in + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) pack.value[k] = to_float(from_float<T>(pack.value[k] + added.value[k]));
    store(in + i, pack);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) pack.value[k] = gelu_of(pack.value[k]);
    store(out + i, pack);
  }
}

/// Returns the blocks of kernels whose threads have columns of several rows.
inline dim3 blocks_over(std::int64_t rows, std::int64_t columns, int width) {
  const std::int64_t across = divided_up(columns, width * column_lanes);
  return {static_cast<unsigned>(across), blocks_for(divided_up(rows, column_rows), divided_up(4096, across))};
}

struct Same {
  __device__ float operator()(float x) const { return x; }
};
struct Relu {
  __device__ float operator()(float x) const { return relu_of(x); }
};
struct Gelu {
  __device__ float operator()(float x) const { return gelu_of(x); }
};

template <class T, class Function>
void with_bias(cudaStream_t stream, T* out, const T* in, const float* bias, Function function, std::int64_t rows,
               std::int64_t columns, std::int64_t stride) {
  if (rows <= 0 || columns <= 0) return;
  constexpr int full = full_width<T>;
  with_width<full>(columns % full == 0 && stride % full == 0 && are_aligned<full>(out, in, bias), [&](auto width) {
    launch(bias_kernel<width, T, Function>, {blocks_over(rows, columns, width), {column_lanes, column_rows}}, stream,
           out, in, bias, function, rows, columns, stride);
  });
}

template <class T>
struct Values {
  const T* from;
  std::int64_t stride;
  template <int Width>
  __device__ Pack<Width> at(std::int64_t row, std::int64_t column) const {
    return load<Width>(from + row * stride + column);
  }
};

template <class T>
struct ReluGradient {
  T* gradient;
  const T* out;
  std::int64_t columns;
  template <int Width>
  __device__ Pack<Width> at(std::int64_t row, std::int64_t column) const {
    const std::int64_t i = row * columns + column;
    auto pack = load<Width>(gradient + i);
    const auto y = load<Width>(out + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) pack.value[k] = y.value[k] > 0.0f ? pack.value[k] : 0.0f;
    store(gradient + i, pack);
    return pack;
  }
};

template <class T>
struct GeluGradient {
  T* gradient;
  const T* in;
  const float* bias;
  std::int64_t columns;
  template <int Width>
  __device__ Pack<Width> at(std::int64_t row, std::int64_t column) const {
    const std::int64_t i = row * columns + column;
    auto pack = load<Width>(gradient + i);
    const auto x = load<Width>(in + i), added = load<Width>(bias + column);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) pack.value[k] *= gelu_derivative(x.value[k] + added.value[k]);
    store(gradient + i, pack);
    return pack;
  }
};

}  // namespace

template <class T>
void add_bias(cudaStream_t stream, T* values, const float* bias, std::int64_t rows, std::int64_t columns,
              std::int64_t stride) {
  with_bias(stream, values, static_cast<const T*>(values), bias, Same{}, rows, columns, stride == 0 ? columns : stride);
}

template <class T>
void bias_relu(cudaStream_t stream, T* out, const T* in, const float* bias, std::int64_t rows, std::int64_t columns) {
  with_bias(stream, out, in, bias, Relu{}, rows, columns, columns);
}

template <class T>
void bias_gelu(cudaStream_t stream, T* out, const T* in, const float* bias, std::int64_t rows, std::int64_t columns) {
  with_bias(stream, out, in, bias, Gelu{}, rows, columns, columns);
}

template <class T>
void add_bias_gelu(cudaStream_t stream, T* out, T* in, const float* bias, std::int64_t rows, std::int64_t columns) {
  if (rows <= 0 || columns <= 0) return;
  constexpr int full = full_width<T>;
  with_width<full>(columns % full == 0 && are_aligned<full>(out, in, bias), [&](auto width) {
    launch(add_bias_gelu_kernel<width, T>, {blocks_over(rows, columns, width), {column_lanes, column_rows}}, stream,
           out, in, bias, rows, columns);
  });
}

std::size_t column_sums_scratch(std::int64_t rows, std::int64_t columns) {
  return sizeof(float) * static_cast<std::size_t>(column_parts(rows) * columns);
}

template <class T>
void add_column_sums(cudaStream_t stream, float* sums, const T* values, void* scratch, std::int64_t rows,
                     std::int64_t columns, std::int64_t stride) {
  constexpr int full = full_width<T>;
  const Values<T> work{values, stride == 0 ? columns : stride};
  column_sums<full>(stream, sums, work, scratch, rows, columns, work.stride % full == 0 && are_aligned<full>(values));
}

template <class T>
void bias_relu_backward(cudaStream_t stream, T* gradient, float* bias_gradient, const T* out, void* scratch,
                        std::int64_t rows, std::int64_t columns) {
  constexpr int full = full_width<T>;
  column_sums<full>(stream, bias_gradient, ReluGradient<T>{gradient, out, columns}, scratch, rows, columns,
                    are_aligned<full>(gradient, out));
}

template <class T>
void bias_gelu_backward(cudaStream_t stream, T* gradient, float* bias_gradient, const T* in, const float* bias,
                        void* scratch, std::int64_t rows, std::int64_t columns) {
  constexpr int full = full_width<T>;
  column_sums<full>(stream, bias_gradient, GeluGradient<T>{gradient, in, bias, columns}, scratch, rows, columns,
                    are_aligned<full>(gradient, in, bias));
}

#define PIPEDECK_INSTANTIATE(T)                                                                                      \
  template void add_bias<T>(cudaStream_t, T*, const float*, std::int64_t, std::int64_t, std::int64_t);               \
  template void bias_relu<T>(cudaStream_t, T*, const T*, const float*, std::int64_t, std::int64_t);                  \
  template void bias_gelu<T>(cudaStream_t, T*, const T*, const float*, std::int64_t, std::int64_t);                  \
  template void add_column_sums<T>(cudaStream_t, float*, const T*, void*, std::int64_t, std::int64_t, std::int64_t); \
  template void add_bias_gelu<T>(cudaStream_t, T*, T*, const float*, std::int64_t, std::int64_t);                    \
  template void bias_relu_backward<T>(cudaStream_t, T*, float*, const T*, void*, std::int64_t, std::int64_t);        \
  template void bias_gelu_backward<T>(cudaStream_t, T*, float*, const T*, const float*, void*, std::int64_t,         \
                                      std::int64_t);
PIPEDECK_INSTANTIATE(float)
PIPEDECK_INSTANTIATE(Bf16)

}  // namespace pipedeck::runtime::cuda
