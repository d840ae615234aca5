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
  template <int Width>
  bool aligned() const {
    return are_aligned<Width>(in);
  }
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
  template <int Width>
  bool aligned() const {
    return are_aligned<Width>(sum, in, more);
  }
};

/// Keep: shared memory caches the row between its three uses; each thread caches its own part.
template <int Width, bool Keep, class To, class Source>
__global__ void layer_norm_kernel(Source source, To* out, float* mean, float* inverse, const float* gain,
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

template <class From, class To, class Source>
void normalise(cudaStream_t stream, const Source& source, To* out, float* mean, float* inverse, const float* gain,
               const float* shift, std::int64_t rows, std::int64_t columns) {
  if (rows <= 0 || columns <= 0) return;
  constexpr int full = common_width<To, From>;
  const bool aligned = columns % full == 0 && source.template aligned<full>() && are_aligned<full>(out, gain, shift);
  with_width<full>(aligned, [&](auto width) {
    const RowThreads threads = row_threads(divided_up(columns, width));
    const std::size_t own = sizeof(float) * warp_results;
    const std::size_t with_rows = own + sizeof(float) * static_cast<std::size_t>(columns) * threads.rows;
    if (with_rows <= most_row_bytes)
      launch(layer_norm_kernel<width, true, To, Source>, {threads.blocks(rows), threads.threads(), with_rows}, stream,
             source, out, mean, inverse, gain, shift, rows, columns);
    else
      launch(layer_norm_kernel<width, false, To, Source>, {threads.blocks(rows), threads.threads(), own}, stream,
             source, out, mean, inverse, gain, shift, rows, columns);
  });
}

template <class T>
struct Backward {
  T* in_gradient;
  const T *more, *out_gradient, *in;
  const float *mean, *inverse, *gain;
  std::int64_t rows, columns;
  bool aligned() const {
    return columns % full_width<T> == 0 && are_aligned<full_width<T>>(in_gradient, more, out_gradient, in, gain);
  }
  /// Returns the gradient that the input's is added to.
  template <int Width>
  __device__ Pack<Width> other(std::int64_t i) const {
    return more == nullptr ? Pack<Width>{} : load<Width>(more + i);
  }
};

constexpr int warp_lanes = 32, block_warps = 8;
/// Packs of a row in a lane's registers, of which more would spill.
template <int Width>
inline constexpr int most_lane_packs = Width > 4 ? 4 : 8;

/// Each warp has every eighth row of its block, and each lane some columns of them. A row is read once. The lanes sum
/// their columns' gradients of gain and shift in registers; the block's warps add theirs in order and write them to the
/// block's two rows of `partial`.
template <int Width, int Packs, class T>
__global__ void __launch_bounds__(warp_lanes* block_warps) backward_by_warps_kernel(Backward<T> work, float* partial) {
  const std::int64_t columns = work.columns;
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const float share = 1.0f / static_cast<float>(columns);
  const auto column_of = [&](int p) { return static_cast<std::int64_t>(p * warp_lanes + lane) * Width; };
  Pack<Width> gains[Packs]{}, shifts[Packs]{};
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * block_warps + warp; row < work.rows;
       row += static_cast<std::int64_t>(gridDim.x) * block_warps) {
    const std::int64_t begin = row * columns;
    const float middle = work.mean[row], factor = work.inverse[row];
    Pack<Width> wanted[Packs]{}, normal[Packs]{};
    float sum = 0, projection = 0;
    PIPEDECK_UNROLL
    for (int p = 0; p < Packs; ++p) {
      const std::int64_t i = column_of(p);
      if (i >= columns) continue;
      const auto gradient = load<Width>(work.out_gradient + begin + i), gain = load<Width>(work.gain + i);
      normal[p] = load<Width>(work.in + begin + i);
      PIPEDECK_UNROLL
      for (int k = 0; k < Width; ++k) {
        normal[p].value[k] = (normal[p].value[k] - middle) * factor;
        wanted[p].value[k] = gradient.value[k] * gain.value[k];
        sum += wanted[p].value[k];
        projection += wanted[p].value[k] * normal[p].value[k];
        gains[p].value[k] += gradient.value[k] * normal[p].value[k];
        shifts[p].value[k] += gradient.value[k];
      }
    }
    if (work.in_gradient == nullptr) continue;
    sum = share * warp_reduce(sum, Adding{});
    projection = share * warp_reduce(projection, Adding{});
    PIPEDECK_UNROLL
    for (int p = 0; p < Packs; ++p) {
      const std::int64_t i = column_of(p);
      if (i >= columns) continue;
      auto to = work.template other<Width>(begin + i);
      PIPEDECK_UNROLL
      for (int k = 0; k < Width; ++k)
        to.value[k] += factor * (wanted[p].value[k] - sum - normal[p].value[k] * projection);
      store(work.in_gradient + begin + i, to);
    }
  }
  auto *to_gain = shared_memory<float>(), *to_shift = to_gain + columns;
  for (int turn = 0; turn < block_warps; ++turn) {
    PIPEDECK_UNROLL
    for (int p = 0; p < Packs; ++p) {
      const std::int64_t i = column_of(p);
      if (turn != warp || i >= columns) continue;
      PIPEDECK_UNROLL
      for (int k = 0; k < Width; ++k) {
        to_gain[i + k] = turn == 0 ? gains[p].value[k] : to_gain[i + k] + gains[p].value[k];
        to_shift[i + k] = turn == 0 ? shifts[p].value[k] : to_shift[i + k] + shifts[p].value[k];
      }
    }
    __syncthreads();
  }
  for (std::int64_t i = warp * warp_lanes + lane; i < 2 * columns; i += warp_lanes * block_warps)
    partial[2 * columns * blockIdx.x + i] = to_gain[i];
}

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
      auto to = work.template other<Width>(row * columns + i);
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

std::size_t accumulator_bytes(std::int64_t columns) {
  return sizeof(float) * (warp_results + 2 * static_cast<std::size_t>(columns));
}

unsigned backward_threads(std::int64_t packs) {
  const std::int64_t threads = divided_up(packs, 32) * 32;
  return static_cast<unsigned>(threads < 256 ? threads : 256);
}

std::int64_t backward_parts(std::int64_t rows) { return rows < max_parts ? rows : max_parts; }
std::int64_t warps_parts(std::int64_t rows) { return backward_parts(divided_up(rows, block_warps)); }

/// Launches backward_by_warps_kernel with the fewest packs of a lane that have room for a row.
template <int Width, class T>
void backward_by_warps(cudaStream_t stream, const Backward<T>& work, float* partial) {
  const std::int64_t packs = divided_up(work.columns, Width * warp_lanes);
  const Shape shape{static_cast<unsigned>(warps_parts(work.rows)),
                    {warp_lanes, block_warps},
                    sizeof(float) * 2 * static_cast<std::size_t>(work.columns)};
  if (packs <= 2) return launch(backward_by_warps_kernel<Width, 2, T>, shape, stream, work, partial);
  if constexpr (most_lane_packs < Width >> 4) {
    if (packs > 6) return launch(backward_by_warps_kernel<Width, 8, T>, shape, stream, work, partial);
    if (packs > 4) return launch(backward_by_warps_kernel<Width, 6, T>, shape, stream, work, partial);
  }
  launch(backward_by_warps_kernel<Width, 4, T>, shape, stream, work, partial);
}

/// Launches layer_norm_backward_kernel, for rows that a warp cannot hold.
template <int Width, class T>
void backward_by_blocks(cudaStream_t stream, const Backward<T>& work, float* partial, bool sums_fit) {
  const dim3 threads = backward_threads(divided_up(work.columns, Width));
  if (sums_fit)
    launch(layer_norm_backward_kernel<Width, true, T>,
           {static_cast<unsigned>(backward_parts(work.rows)), threads, accumulator_bytes(work.columns)}, stream, work,
           partial);
  else if (work.in_gradient != nullptr)
    launch(layer_norm_backward_kernel<Width, false, T>, {blocks_for(work.rows), threads, sizeof(float) * warp_results},
           stream, work, partial);
}

}  // namespace

template <class To, class From>
void layer_norm(cudaStream_t stream, To* out, float* mean, float* inverse, const From* in, const float* gain,
                const float* shift, std::int64_t rows, std::int64_t columns) {
  normalise<From>(stream, Plain<From>{in}, out, mean, inverse, gain, shift, rows, columns);
}

template <class To, class From>
void add_layer_norm(cudaStream_t stream, From* sum, To* out, float* mean, float* inverse, const From* in,
                    const From* more, const float* gain, const float* shift, std::int64_t rows, std::int64_t columns) {
  normalise<From>(stream, Added<From>{sum, in, more}, out, mean, inverse, gain, shift, rows, columns);
}

std::size_t layer_norm_backward_scratch(std::int64_t rows, std::int64_t columns) {
  if (accumulator_bytes(columns) > most_accumulator_bytes) return column_sums_scratch(rows, columns);
  return sizeof(float) * static_cast<std::size_t>(2 * backward_parts(rows) * columns);
}

template <class T>
void layer_norm_backward(cudaStream_t stream, T* in_gradient, const T* more, float* gain_gradient,
                         float* shift_gradient, const T* out_gradient, const T* in, const float* mean,
                         const float* inverse, const float* gain, void* scratch, std::int64_t rows,
                         std::int64_t columns) {
  if (rows <= 0 || columns <= 0) return;
  constexpr int full = full_width<T>;
  const Backward<T> work{in_gradient, more, out_gradient, in, mean, inverse, gain, rows, columns};
  auto* partial = static_cast<float*>(scratch);
  std::int64_t parts = backward_parts(rows);
  const bool sums_fit = accumulator_bytes(columns) <= most_accumulator_bytes;
  with_width<full>(work.aligned(), [&](auto width) {
    if (columns > static_cast<std::int64_t>(width) * warp_lanes * most_lane_packs<width>)
      return backward_by_blocks<width>(stream, work, partial, sums_fit);
    parts = warps_parts(rows);
    backward_by_warps<width>(stream, work, partial);
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

#define PIPEDECK_INSTANTIATE(To, From)                                                                           \
  template void layer_norm<To, From>(cudaStream_t, To*, float*, float*, const From*, const float*, const float*, \
                                     std::int64_t, std::int64_t);                                                \
  template void add_layer_norm<To, From>(cudaStream_t, From*, To*, float*, float*, const From*, const From*,     \
                                         const float*, const float*, std::int64_t, std::int64_t);
PIPEDECK_INSTANTIATE(float, float)
PIPEDECK_INSTANTIATE(Bf16, float)
PIPEDECK_INSTANTIATE(Bf16, Bf16)
template void layer_norm_backward<float>(cudaStream_t, float*, const float*, float*, float*, const float*, const float*,
                                         const float*, const float*, const float*, void*, std::int64_t, std::int64_t);
template void layer_norm_backward<Bf16>(cudaStream_t, Bf16*, const Bf16*, float*, float*, const Bf16*, const Bf16*,
                                        const float*, const float*, const float*, void*, std::int64_t, std::int64_t);

}  // namespace pipedeck::runtime::cuda
