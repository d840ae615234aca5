// SPDX-License-Identifier: Apache-2.0
// Softmax and its sum in one pass over a row (Milakov and Gimelshein, "Online normalizer calculation for softmax",
// 2018, algorithm 3). A second pass writes the gradient.
#include <cfloat>

#include "core/runtime/cuda/kernels/rows.cuh"

namespace pipedeck::runtime::cuda {
namespace {

constexpr int sum_threads = 512;
constexpr int most_row_threads = 1024;   ///< of a row: the fewer rows at once, the more of them a cache holds
constexpr std::int64_t long_row = 4096;  ///< packs of a row from which it has that many threads

/// The maximum so far and the sum of e^(value - maximum).
struct Running {
  float largest = -FLT_MAX, sum = 0;
  /// Sees the first `count` values of a pack.
  template <int Width>
  __device__ void see(const Pack<Width>& pack, std::int64_t count) {
    float most = largest;
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k)
      if (k < count) most = Larger{}(pack.value[k], most);
    if (most > largest) {
      sum *= expf(largest - most);
      largest = most;
    }
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k)
      if (k < count) sum += expf(pack.value[k] - largest);
  }
  __device__ void meet(float* shared) {
    const float all = row_reduce(largest, shared, Larger{});
    sum = row_reduce(sum * expf(largest - all), shared, Adding{});
    largest = all;
  }
};

__device__ bool is_class(float target, std::int64_t classes) {
  return target >= 0.0f && target < static_cast<float>(classes);
}

template <int Width, bool Keep, class To, class From>
__global__ void __launch_bounds__(most_row_threads)
    cross_entropy_kernel(GradientRows<To> gradient, const From* logits, const float* targets, double* losses,
                         float scale, LogitRows shape) {
  auto* shared = shared_memory<float>();
  const std::int64_t columns = shape.columns;
  float* kept = shared + warp_results + threadIdx.y * shape.stride;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= shape.rows) return;
  const From* own = logits + row * shape.stride;
  const std::int64_t begin = threadIdx.x * Width, step = static_cast<std::int64_t>(blockDim.x) * Width;
  Running running;
  for (std::int64_t i = begin; i < columns; i += step) {
    const auto pack = load<Width>(own + i);
    if constexpr (Keep) store(kept + i, pack);
    running.see(pack, columns - i);
  }
  running.meet(shared);
  const bool known = is_class(targets[row], columns);
  const std::int64_t target = known ? static_cast<std::int64_t>(targets[row]) : -1;
  const float share = 1.0f / running.sum;
  for (std::int64_t i = begin; i < gradient.stride; i += step) {
    Pack<Width> pack{};
    if (i < columns) {
      if constexpr (Keep)
        pack = load<Width>(kept + i);
      else
        pack = load<Width>(own + i);
    }
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) {
      const float above = pack.value[k] - running.largest;
      const float onehot = i + k == target ? 1.0f : 0.0f;
      pack.value[k] = i + k < columns ? scale * (expf(above) * share - onehot) : 0.0f;
      if (i + k == target) losses[row] = log(static_cast<double>(running.sum)) - static_cast<double>(above);
    }
    store(gradient.values + row * gradient.stride + i, pack);
  }
  if (!known && threadIdx.x == 0) losses[row] = NAN;
}

template <int Width, class T>
__global__ void __launch_bounds__(most_row_threads) largest_kernel(float* most, const T* logits, LogitRows shape) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= shape.rows) return;
  float largest = -FLT_MAX;
  for (std::int64_t i = threadIdx.x * Width; i < shape.columns; i += static_cast<std::int64_t>(blockDim.x) * Width) {
    const auto pack = load<Width>(logits + row * shape.stride + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k)
      if (i + k < shape.columns) largest = Larger{}(pack.value[k], largest);
  }
  largest = row_reduce(largest, shared_memory<float>(), Larger{});
  if (threadIdx.x == 0) most[row] = largest;
}

template <int Width, class T>
__global__ void __launch_bounds__(most_row_threads)
    exponentials_kernel(float* totals, float* wanted, const T* logits, const float* most, const float* targets,
                        std::int64_t first, LogitRows shape) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= shape.rows) return;
  float sum = 0;
  for (std::int64_t i = threadIdx.x * Width; i < shape.columns; i += static_cast<std::int64_t>(blockDim.x) * Width) {
    const auto pack = load<Width>(logits + row * shape.stride + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k)
      if (i + k < shape.columns) sum += expf(pack.value[k] - most[row]);
  }
  sum = row_reduce(sum, shared_memory<float>(), Adding{});
  if (threadIdx.x != 0) return;
  totals[row] = sum;
  const float target = targets[row] - static_cast<float>(first);
  const bool here = is_class(target, shape.columns);
  wanted[row] = here ? to_float(logits[row * shape.stride + static_cast<std::int64_t>(target)]) - most[row] : 0.0f;
}

template <int Width, class To, class From>
__global__ void __launch_bounds__(most_row_threads)
    finish_kernel(GradientRows<To> gradient, const From* logits, float scale, const float* most, const float* totals,
                  const float* targets, std::int64_t first, LogitRows shape) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= shape.rows) return;
  const float share = 1.0f / totals[row], target = targets[row] - static_cast<float>(first);
  const std::int64_t own = is_class(target, shape.columns) ? static_cast<std::int64_t>(target) : -1;
  for (std::int64_t i = threadIdx.x * Width; i < gradient.stride; i += static_cast<std::int64_t>(blockDim.x) * Width) {
    Pack<Width> pack{};
    if (i < shape.columns) pack = load<Width>(logits + row * shape.stride + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) {
      const float onehot = i + k == own ? 1.0f : 0.0f;
      pack.value[k] = i + k < shape.columns ? scale * (expf(pack.value[k] - most[row]) * share - onehot) : 0.0f;
    }
    store(gradient.values + row * gradient.stride + i, pack);
  }
}

struct Losses {
  const double* of_rows;
  __device__ double at(std::int64_t row) const { return of_rows[row]; }
};
struct LossesOfParts {
  const float *totals, *wanted;
  __device__ double at(std::int64_t row) const {
    return log(static_cast<double>(totals[row])) - static_cast<double>(wanted[row]);
  }
};

/// Adds all losses in one block: *sum += all.
template <class From>
__global__ void __launch_bounds__(sum_threads) add_losses_kernel(double* sum, From from, std::int64_t rows) {
  auto* shared = shared_memory<double>();
  double own = 0;
  for (std::int64_t row = threadIdx.x; row < rows; row += sum_threads) own += from.at(row);
  shared[threadIdx.x] = own;
  for (unsigned half = sum_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *sum += shared[0];
}

template <class From>
void add_losses(cudaStream_t stream, double* sum, const From& from, std::int64_t rows) {
  launch(add_losses_kernel<From>, {1, sum_threads, sizeof(double) * sum_threads}, stream, sum, from, rows);
}

/// Calls use(width, threads) for rows whose vectors of Width are aligned, if `aligned`.
template <int Width, class Use>
void over_rows(const LogitRows& shape, bool aligned, const Use& use) {
  if (shape.rows <= 0 || shape.columns <= 0) return;
  with_width<Width>(aligned && shape.stride % Width == 0, [&](auto width) {
    const std::int64_t packs = divided_up(shape.columns, width);
    RowThreads threads = row_threads(packs);
    if (packs >= long_row) threads.lanes = most_row_threads;
    use(width, threads);
  });
}
template <class T, class Use>
void over_rows(const T* logits, const LogitRows& shape, const Use& use) {
  over_rows<full_width<T>>(shape, are_aligned<full_width<T>>(logits), use);
}
template <class To, class From, class Use>
void over_rows(const GradientRows<To>& gradient, const From* logits, const LogitRows& shape, const Use& use) {
  constexpr int full = common_width<To, From>;
  over_rows<full>(shape, gradient.stride % full == 0 && are_aligned<full>(gradient.values) && are_aligned<full>(logits),
                  use);
}

constexpr std::size_t bytes_per_thread = sizeof(float) * warp_results;

}  // namespace

std::size_t softmax_cross_entropy_scratch(std::int64_t rows) { return sizeof(double) * static_cast<std::size_t>(rows); }

template <class To, class From>
void softmax_cross_entropy(cudaStream_t stream, const GradientRows<To>& gradient, const From* logits,
                           const float* targets, double* loss_sum, float scale, void* scratch, const LogitRows& shape) {
  auto* losses = static_cast<double*>(scratch);
  over_rows(gradient, logits, shape, [&](auto width, RowThreads threads) {
    const std::size_t with_rows =
        bytes_per_thread + sizeof(float) * static_cast<std::size_t>(shape.stride) * threads.rows;
    if (with_rows <= most_row_bytes)
      launch(cross_entropy_kernel<width, true, To, From>, {threads.blocks(shape.rows), threads.threads(), with_rows},
             stream, gradient, logits, targets, losses, scale, shape);
    else
      launch(cross_entropy_kernel<width, false, To, From>,
             {threads.blocks(shape.rows), threads.threads(), bytes_per_thread}, stream, gradient, logits, targets,
             losses, scale, shape);
    add_losses(stream, loss_sum, Losses{losses}, shape.rows);
  });
}

template <class T>
void row_max(cudaStream_t stream, float* most, const T* logits, const LogitRows& shape) {
  over_rows(logits, shape, [&](auto width, RowThreads threads) {
    launch(largest_kernel<width, T>, {threads.blocks(shape.rows), threads.threads(), bytes_per_thread}, stream, most,
           logits, shape);
  });
}

template <class T>
void row_exp_sum(cudaStream_t stream, float* totals, float* wanted, const T* logits, const float* most,
                 const float* targets, std::int64_t first, const LogitRows& shape) {
  over_rows(logits, shape, [&](auto width, RowThreads threads) {
    launch(exponentials_kernel<width, T>, {threads.blocks(shape.rows), threads.threads(), bytes_per_thread}, stream,
           totals, wanted, logits, most, targets, first, shape);
  });
}

template <class To, class From>
void finish_cross_entropy(cudaStream_t stream, const GradientRows<To>& gradient, const From* logits, double* loss_sum,
                          float scale, const float* most, const float* totals, const float* wanted,
                          const float* targets, std::int64_t first, const LogitRows& shape) {
  over_rows(gradient, logits, shape, [&](auto width, RowThreads threads) {
    launch(finish_kernel<width, To, From>, {threads.blocks(shape.rows), threads.threads()}, stream, gradient, logits,
           scale, most, totals, targets, first, shape);
    add_losses(stream, loss_sum, LossesOfParts{totals, wanted}, shape.rows);
  });
}

#define PIPEDECK_INSTANTIATE(T)                                                                                  \
  template void row_max<T>(cudaStream_t, float*, const T*, const LogitRows&);                                    \
  template void row_exp_sum<T>(cudaStream_t, float*, float*, const T*, const float*, const float*, std::int64_t, \
                               const LogitRows&);
PIPEDECK_INSTANTIATE(float)
PIPEDECK_INSTANTIATE(Bf16)
#undef PIPEDECK_INSTANTIATE
#define PIPEDECK_INSTANTIATE(To, From)                                                                               \
  template void softmax_cross_entropy<To, From>(cudaStream_t, const GradientRows<To>&, const From*, const float*,    \
                                                double*, float, void*, const LogitRows&);                            \
  template void finish_cross_entropy<To, From>(cudaStream_t, const GradientRows<To>&, const From*, double*, float,   \
                                               const float*, const float*, const float*, const float*, std::int64_t, \
                                               const LogitRows&);
PIPEDECK_INSTANTIATE(float, float)
PIPEDECK_INSTANTIATE(Bf16, float)
PIPEDECK_INSTANTIATE(Bf16, Bf16)

}  // namespace pipedeck::runtime::cuda
