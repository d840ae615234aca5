// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/kernels/columns.cuh"
#include "core/runtime/cuda/kernels/rows.cuh"

namespace pipedeck::runtime::cuda {
namespace {

constexpr float epsilon = 1e-5f;  // as in GPT-2
constexpr std::int64_t max_parts = 512;
constexpr std::size_t most_accumulator_bytes = 96 * 1024;

template <class T>
struct Plain {
  const T* in;
  template <int Width>
  __device__ Pack<Width> first(std::int64_t i) const {
    return load<Width>(in + i);
  }
  template <int Width>
  __device__ Pack<Width> again(std::int64_t i) const {
    return load<Width>(in + i);
  }
  bool aligned() const { return are_aligned<full_width<T>>(in); }
};

/// A source of the sum of two matrices, which it stores.
template <class T>
struct Added {
  T* sum;
  const T *in, *more;
  template <int Width>
  __device__ Pack<Width> first(std::int64_t i) const {
    auto pack = load<Width>(in + i);
    const auto other = load<Width>(more + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) pack.value[k] = to_float(from_float<T>(pack.value[k] + other.value[k]));
    store(sum + i, pack);
    return pack;
  }
  template <int Width>
  __device__ Pack<Width> again(std::int64_t i) const {
    return load<Width>(sum + i);
  }
  bool aligned() const { return are_aligned<full_width<T>>(sum, in, more); }
};

/// Keep: shared memory caches the row between its three uses; each thread caches its own part.
template <int Width, bool Keep, class T, class Source>
__global__ void layer_norm_kernel(Source source, T* out, float* mean, float* inverse, const float* gain,
                                  const float* shift, std::int64_t rows, std::int64_t columns) {
  auto* shared = shared_memory<float>();
  float* kept = shared + warp_results + threadIdx.y * columns;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const std::int64_t begin = row * columns, step = static_cast<std::int64_t>(blockDim.x) * Width;
  const auto again = [&](std::int64_t i) {
    if constexpr (Keep)
      return load<Width>(kept + i);
    else
      return source.template again<Width>(begin + i);
  };
  float sum = 0;
  for (std::int64_t i = threadIdx.x * Width; i < columns; i += step) {
    const auto pack = source.template first<Width>(begin + i);
    if constexpr (Keep) store(kept + i, pack);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) sum += pack.value[k];
  }
  const float middle = row_reduce(sum, shared, Adding{}) / static_cast<float>(columns);
  float squares = 0;
  for (std::int64_t i = threadIdx.x * Width; i < columns; i += step) {
    const auto pack = again(i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) squares += (pack.value[k] - middle) * (pack.value[k] - middle);
  }
  const float variance = row_reduce(squares, shared, Adding{}) / static_cast<float>(columns);
  const float factor = 1.0f / sqrtf(variance + epsilon);
  for (std::int64_t i = threadIdx.x * Width; i < columns; i += step) {
    auto pack = again(i);
    const auto gains = load<Width>(gain + i), shifts = load<Width>(shift + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k)
      pack.value[k] = (pack.value[k] - middle) * factor * gains.value[k] + shifts.value[k];
    store(out + begin + i, pack);
  }
  if (threadIdx.x == 0) {
    mean[row] = middle;
    inverse[row] = factor;
  }
}

template <class T, class Source>
void normalise(cudaStream_t stream, const Source& source, T* out, float* mean, float* inverse, const float* gain,
               const float* shift, std::int64_t rows, std::int64_t columns) {
  if (rows <= 0 || columns <= 0) return;
  constexpr int full = full_width<T>;
  const bool aligned = columns % full == 0 && source.aligned() && are_aligned<full>(out, gain, shift);
  with_width<full>(aligned, [&](auto width) {
    const RowThreads threads = row_threads(divided_up(columns, width));
    const std::size_t own = sizeof(float) * warp_results;
    const std::size_t with_rows = own + sizeof(float) * static_cast<std::size_t>(columns) * threads.rows;
    if (with_rows <= most_row_bytes)
      launch(layer_norm_kernel<width, true, T, Source>, {threads.blocks(rows), threads.threads(), with_rows}, stream,
             source, out, mean, inverse, gain, shift, rows, columns);
    else
      launch(layer_norm_kernel<width, false, T, Source>, {threads.blocks(rows), threads.threads(), own}, stream, source,
             out, mean, inverse, gain, shift, rows, columns);
  });
}

template <class T>
struct Backward {
  T* in_gradient;
  const T *out_gradient, *in;
  const float *mean, *inverse, *gain;
  std::int64_t rows, columns;
  bool aligned() const {
    return columns % full_width<T> == 0 && are_aligned<full_width<T>>(in_gradient, out_gradient, in, gain);
  }
};

/// Each block takes every gridDim.x-th row. Sum: each thread accumulates its columns' gradients of gain and shift in
/// its own shared memory. Finally it writes them to the block's two rows of `partial`.
template <int Width, bool Sum, class T>
__global__ void layer_norm_backward_kernel(Backward<T> work, float* partial) {
  auto* shared = shared_memory<float>();
  float *gains = shared + warp_results, *shifts = gains + work.columns;
  const std::int64_t columns = work.columns, begin = threadIdx.x * Width;
  const std::int64_t step = static_cast<std::int64_t>(blockDim.x) * Width;
  if constexpr (Sum)
    for (std::int64_t i = begin; i < columns; i += step) {
      store(gains + i, Pack<Width>{});
      store(shifts + i, Pack<Width>{});
    }
  const float share = 1.0f / static_cast<float>(columns);
  for (std::int64_t row = blockIdx.x; row < work.rows; row += gridDim.x) {
    const T *g = work.out_gradient + row * columns, *x = work.in + row * columns;
    const float middle = work.mean[row], factor = work.inverse[row];
    float sum = 0, projection = 0;
    for (std::int64_t i = begin; i < columns; i += step) {
      const auto gradient = load<Width>(g + i), value = load<Width>(x + i), gain = load<Width>(work.gain + i);
      Pack<Width> to_gain, to_shift;
      if constexpr (Sum) to_gain = load<Width>(gains + i), to_shift = load<Width>(shifts + i);
      PIPEDECK_UNROLL
      for (int k = 0; k < Width; ++k) {
        const float normal = (value.value[k] - middle) * factor, wanted = gradient.value[k] * gain.value[k];
        sum += wanted;
        projection += wanted * normal;
        if constexpr (Sum) {
          to_gain.value[k] += gradient.value[k] * normal;
          to_shift.value[k] += gradient.value[k];
        }
      }
      if constexpr (Sum) store(gains + i, to_gain), store(shifts + i, to_shift);
    }
    if (work.in_gradient == nullptr) continue;
    sum = share * row_reduce(sum, shared, Adding{});
    projection = share * row_reduce(projection, shared, Adding{});
    // The row was just read: it comes from a cache.
    for (std::int64_t i = begin; i < columns; i += step) {
      const auto gradient = load<Width>(g + i), value = load<Width>(x + i), gain = load<Width>(work.gain + i);
      auto to = load<Width>(work.in_gradient + row * columns + i);
      PIPEDECK_UNROLL
      for (int k = 0; k < Width; ++k) {
        const float normal = (value.value[k] - middle) * factor;
        to.value[k] += factor * (gradient.value[k] * gain.value[k] - sum - normal * projection);
      }
      store(work.in_gradient + row * columns + i, to);
    }
  }
  if constexpr (Sum)
    for (std::int64_t i = begin; i < columns; i += step) {
      float* own = partial + 2 * columns * blockIdx.x;
      // An odd number of columns has no common alignment of two rows: Width is 1 then.
      store(own + i, load<Width>(gains + i));
      store(own + columns + i, load<Width>(shifts + i));
    }
}

/// The gain's gradient from each value.
template <class T>
struct GainGradient {
  Backward<T> work;
  template <int Width>
  __device__ Pack<Width> at(std::int64_t row, std::int64_t column) const {
    const std::int64_t i = row * work.columns + column;
    auto pack = load<Width>(work.out_gradient + i);
    const auto value = load<Width>(work.in + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) pack.value[k] *= (value.value[k] - work.mean[row]) * work.inverse[row];
    return pack;
  }
};

unsigned backward_threads(std::int64_t packs) {
  const std::int64_t threads = divided_up(packs, 32) * 32;
  return static_cast<unsigned>(threads < 256 ? threads : 256);
}

std::int64_t backward_parts(std::int64_t rows) { return rows < max_parts ? rows : max_parts; }

std::size_t accumulator_bytes(std::int64_t columns) {
  return sizeof(float) * (warp_results + 2 * static_cast<std::size_t>(columns));
}

}  // namespace

template <class T>
void layer_norm(cudaStream_t stream, T* out, float* mean, float* inverse, const T* in, const float* gain,
                const float* shift, std::int64_t rows, std::int64_t columns) {
  normalise(stream, Plain<T>{in}, out, mean, inverse, gain, shift, rows, columns);
}

template <class T>
void add_layer_norm(cudaStream_t stream, T* sum, T* out, float* mean, float* inverse, const T* in, const T* more,
                    const float* gain, const float* shift, std::int64_t rows, std::int64_t columns) {
  normalise(stream, Added<T>{sum, in, more}, out, mean, inverse, gain, shift, rows, columns);
}

std::size_t layer_norm_backward_scratch(std::int64_t rows, std::int64_t columns) {
  if (accumulator_bytes(columns) > most_accumulator_bytes) return column_sums_scratch(rows, columns);
  return sizeof(float) * static_cast<std::size_t>(2 * backward_parts(rows) * columns);
}

template <class T>
void layer_norm_backward(cudaStream_t stream, T* in_gradient, float* gain_gradient, float* shift_gradient,
                         const T* out_gradient, const T* in, const float* mean, const float* inverse, const float* gain,
                         void* scratch, std::int64_t rows, std::int64_t columns) {
  if (rows <= 0 || columns <= 0) return;
  constexpr int full = full_width<T>;
  const Backward<T> work{in_gradient, out_gradient, in, mean, inverse, gain, rows, columns};
  auto* partial = static_cast<float*>(scratch);
  const std::int64_t parts = backward_parts(rows);
  const bool sums_fit = accumulator_bytes(columns) <= most_accumulator_bytes;
  with_width<full>(work.aligned(), [&](auto width) {
    const dim3 threads = backward_threads(divided_up(columns, width));
    if (sums_fit)
      launch(layer_norm_backward_kernel<width, true, T>,
             {static_cast<unsigned>(parts), threads, accumulator_bytes(columns)}, stream, work, partial);
    else if (in_gradient != nullptr)
      launch(layer_norm_backward_kernel<width, false, T>, {blocks_for(rows), threads, sizeof(float) * warp_results},
             stream, work, partial);
  });
  if (sums_fit) {
    add_parts(stream, gain_gradient, partial, parts, columns, 2 * columns);
    add_parts(stream, shift_gradient, partial + columns, parts, columns, 2 * columns);
  } else {
    column_sums<full>(stream, gain_gradient, GainGradient<T>{work}, scratch, rows, columns,
                      are_aligned<full>(out_gradient, in));
    add_column_sums(stream, shift_gradient, out_gradient, scratch, rows, columns);
  }
}

#define PIPEDECK_INSTANTIATE(T)                                                                                     \
  template void layer_norm<T>(cudaStream_t, T*, float*, float*, const T*, const float*, const float*, std::int64_t, \
                              std::int64_t);                                                                        \
  template void add_layer_norm<T>(cudaStream_t, T*, T*, float*, float*, const T*, const T*, const float*,           \
                                  const float*, std::int64_t, std::int64_t);                                        \
  template void layer_norm_backward<T>(cudaStream_t, T*, float*, float*, const T*, const T*, const float*,          \
                                       const float*, const float*, void*, std::int64_t, std::int64_t);
PIPEDECK_INSTANTIATE(float)
PIPEDECK_INSTANTIATE(Bf16)

}  // namespace pipedeck::runtime::cuda
