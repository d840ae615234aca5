// SPDX-License-Identifier: Apache-2.0
#include <cfloat>

#include "core/runtime/cuda/kernels/each.cuh"
#include "core/runtime/cuda/kernels/functions.cuh"

namespace pipedeck::runtime::cuda {
namespace {

template <class T>
struct Fill {
  T* to;
  float filling;
  template <int Width>
  __device__ void at(std::int64_t i) const {
    Pack<Width> pack;
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) pack.value[k] = filling;
    store(to + i, pack);
  }
};

/// to = Function(from)
template <class To, class From, class Function>
struct Map {
  To* to;
  const From* from;
  Function function;
  template <int Width>
  __device__ void at(std::int64_t i) const {
    auto pack = load<Width>(from + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) pack.value[k] = function(pack.value[k]);
    store(to + i, pack);
  }
};

/// to = Function(to, from)
template <class To, class From, class Function>
struct Change {
  To* to;
  const From* from;
  Function function;
  template <int Width>
  __device__ void at(std::int64_t i) const {
    auto pack = load<Width>(to + i);
    const auto other = load<Width>(from + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) pack.value[k] = function(pack.value[k], other.value[k]);
    store(to + i, pack);
  }
};

/// Threads write one value, so that their order does not matter.
struct FindNotFinite {
  const float* values;
  int* found;
  template <int Width>
  __device__ void at(std::int64_t i) const {
    const auto pack = load<Width>(values + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k)
      if (!(fabsf(pack.value[k]) <= FLT_MAX)) *found = 1;
  }
};

struct Same {
  __device__ float operator()(float x) const { return x; }
};
struct Scaled {
  float factor;
  __device__ float operator()(float x) const { return x * factor; }
};
struct Relu {
  __device__ float operator()(float x) const { return relu_of(x); }
};
struct Gelu {
  __device__ float operator()(float x) const { return gelu_of(x); }
};
struct Sum {
  __device__ float operator()(float x, float y) const { return x + y; }
};
struct ReluGradient {
  __device__ float operator()(float gradient, float x) const { return x > 0.0f ? gradient : 0.0f; }
};
struct GeluGradient {
  __device__ float operator()(float gradient, float x) const { return gradient * gelu_derivative(x); }
};

template <class To, class From, class Function>
void map(cudaStream_t stream, To* to, const From* from, Function function, std::int64_t count) {
  constexpr int width = common_width<To, From>;
  each<width>(stream, Map<To, From, Function>{to, from, function}, count, are_aligned<width>(to, from));
}

template <class To, class From, class Function>
void change(cudaStream_t stream, To* to, const From* from, Function function, std::int64_t count) {
  constexpr int width = common_width<To, From>;
  each<width>(stream, Change<To, From, Function>{to, from, function}, count, are_aligned<width>(to, from));
}

}  // namespace

template <class T>
void fill(cudaStream_t stream, T* values, float value, std::int64_t count) {
  each<full_width<T>>(stream, Fill<T>{values, value}, count, are_aligned<full_width<T>>(values));
}

template <class T>
void scale(cudaStream_t stream, T* values, float factor, std::int64_t count) {
  map(stream, values, values, Scaled{factor}, count);
}

template <class To, class From>
void add(cudaStream_t stream, To* to, const From* from, std::int64_t count) {
  change(stream, to, from, Sum{}, count);
}

void find_not_finite(cudaStream_t stream, int* found, const float* values, std::int64_t count) {
  constexpr int width = full_width<float>;
  each<width>(stream, FindNotFinite{values, found}, count, are_aligned<width>(values));
}

template <class To, class From>
void convert(cudaStream_t stream, To* to, const From* from, std::int64_t count) {
  map(stream, to, from, Same{}, count);
}

template <class T>
void relu(cudaStream_t stream, T* out, const T* in, std::int64_t count) {
  map(stream, out, in, Relu{}, count);
}

template <class T>
void relu_backward(cudaStream_t stream, T* gradient, const T* in, std::int64_t count) {
  change(stream, gradient, in, ReluGradient{}, count);
}

template <class T>
void gelu(cudaStream_t stream, T* out, const T* in, std::int64_t count) {
  map(stream, out, in, Gelu{}, count);
}

template <class T>
void gelu_backward(cudaStream_t stream, T* gradient, const T* in, std::int64_t count) {
  change(stream, gradient, in, GeluGradient{}, count);
}

#define PIPEDECK_INSTANTIATE(T)                                             \
  template void fill<T>(cudaStream_t, T*, float, std::int64_t);             \
  template void scale<T>(cudaStream_t, T*, float, std::int64_t);            \
  template void add<T, T>(cudaStream_t, T*, const T*, std::int64_t);        \
  template void relu<T>(cudaStream_t, T*, const T*, std::int64_t);          \
  template void relu_backward<T>(cudaStream_t, T*, const T*, std::int64_t); \
  template void gelu<T>(cudaStream_t, T*, const T*, std::int64_t);          \
  template void gelu_backward<T>(cudaStream_t, T*, const T*, std::int64_t);
PIPEDECK_INSTANTIATE(float)
PIPEDECK_INSTANTIATE(Bf16)
template void add<float, Bf16>(cudaStream_t, float*, const Bf16*, std::int64_t);
template void add<Bf16, float>(cudaStream_t, Bf16*, const float*, std::int64_t);
template void convert<float, Bf16>(cudaStream_t, float*, const Bf16*, std::int64_t);
template void convert<Bf16, float>(cudaStream_t, Bf16*, const float*, std::int64_t);

}  // namespace pipedeck::runtime::cuda
