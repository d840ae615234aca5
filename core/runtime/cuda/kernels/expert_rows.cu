// SPDX-License-Identifier: Apache-2.0
// Rows of tokens in the order of their experts. Choices are counted tile by tile; a tile has choices of one sample.
// Counts are added in the order of tiles and samples, and a choice's rank within its tile is counted: no order of
// threads changes a place.
#include <stdexcept>

#include "core/runtime/cuda/expert_kernels.hpp"
#include "core/runtime/cuda/kernels/columns.cuh"
#include "core/runtime/cuda/kernels/each.cuh"
#include "core/runtime/cuda/kernels/rows.cuh"

namespace pipedeck::runtime::cuda {
namespace {

constexpr int tile_choices = 512, tile_threads = 256;

/// Tiles of choices, the choices of each expert in all tiles of a sample before a tile, and in all samples before one.
struct Tiles {
  ExpertRouting routing;
  std::int64_t count;  ///< of a sample
  int *before, *samples_before;

  __device__ std::int64_t number() const { return static_cast<std::int64_t>(blockIdx.y) * count + blockIdx.x; }
  __device__ std::int64_t first() const {
    return blockIdx.y * routing.sample_choices() + static_cast<std::int64_t>(blockIdx.x) * tile_choices;
  }
  __device__ int size() const {
    const std::int64_t left = routing.sample_choices() - static_cast<std::int64_t>(blockIdx.x) * tile_choices;
    return static_cast<int>(left < tile_choices ? left : tile_choices);
  }
  /// Loads the tile's choices into shared memory.
  __device__ void load(int* shared, const int* choices) const {
    for (int i = static_cast<int>(threadIdx.x); i < size(); i += tile_threads) shared[i] = choices[first() + i];
    __syncthreads();
  }
};

__global__ void __launch_bounds__(tile_threads) count_tile_kernel(Tiles tiles, const int* choices) {
  auto* shared = shared_memory<int>();
  tiles.load(shared, choices);
  for (std::int64_t e = threadIdx.x; e < tiles.routing.experts; e += tile_threads) {
    int found = 0;
    for (int i = 0; i < tiles.size(); ++i) found += shared[i] == e ? 1 : 0;
    tiles.before[tiles.number() * tiles.routing.experts + e] = found;
  }
}

/// Replaces a sample's counts by those of the tiles before each.
__global__ void __launch_bounds__(tile_threads) add_tiles_kernel(Tiles tiles, int* loads) {
  const std::int64_t experts = tiles.routing.experts, first = blockIdx.x * tiles.count * experts;
  for (std::int64_t e = threadIdx.x; e < experts; e += tile_threads) {
    int sum = 0;
    for (std::int64_t tile = 0; tile < tiles.count; ++tile) {
      int& at = tiles.before[first + tile * experts + e];
      const int own = at;
      at = sum;
      sum += own;
    }
    loads[blockIdx.x * experts + e] = sum;
  }
}

/// Returns the choices that an expert takes of a sample, behind the earlier ones of other ranks.
__device__ std::int64_t room_behind(const int* earlier, std::int64_t at, const ExpertRouting& routing) {
  const std::int64_t room = routing.capacity - (earlier != nullptr ? earlier[at] : 0);
  return room > 0 ? room : 0;
}

/// Computes the first row of each expert, and of each sample within it. One block has all experts.
__global__ void __launch_bounds__(tile_threads)
    add_samples_kernel(Tiles tiles, int* first, const int* loads, const int* earlier) {
  const std::int64_t experts = tiles.routing.experts;
  for (std::int64_t e = threadIdx.x; e < experts; e += tile_threads) {
    int sum = 0;
#ifdef __CUDACC__
#pragma unroll 1  // registers of several samples at once would spill
#endif
    for (std::int64_t sample = 0; sample < tiles.routing.samples; ++sample) {
      const std::int64_t at = sample * experts + e;
      tiles.samples_before[at] = sum;
      const std::int64_t room = room_behind(earlier, at, tiles.routing);
      sum += loads[at] < room ? loads[at] : static_cast<int>(room);
    }
    first[e + 1] = sum;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  first[0] = 0;
  for (std::int64_t e = 0; e < experts; ++e) first[e + 1] += first[e];
}

__global__ void __launch_bounds__(tile_threads)
    place_tile_kernel(Tiles tiles, int* places, const int* first, const int* earlier, const int* choices) {
  auto* shared = shared_memory<int>();
  tiles.load(shared, choices);
  const std::int64_t experts = tiles.routing.experts;
  for (int i = static_cast<int>(threadIdx.x); i < tiles.size(); i += tile_threads) {
    const int expert = shared[i];
    int rank = tiles.before[tiles.number() * experts + expert];
    for (int j = 0; j < i; ++j) rank += shared[j] == expert ? 1 : 0;
    const std::int64_t at = static_cast<std::int64_t>(blockIdx.y) * experts + expert;
    places[tiles.first() + i] =
        rank < room_behind(earlier, at, tiles.routing) ? first[expert] + tiles.samples_before[at] + rank : -1;
  }
}

/// earlier = the sums over the ranks before `rank`, all = those over all ranks.
struct SumLoads {
  int *earlier, *all;
  const int* gathered;  ///< rank after rank, `count` each
  std::int64_t count;
  int ranks, rank;
  template <int Width>
  __device__ void at(std::int64_t i) const {
    int sum = 0;
    for (int other = 0; other < ranks; ++other) {
      if (other == rank) earlier[i] = sum;
      sum += gathered[other * count + i];
    }
    all[i] = sum;
  }
};

std::int64_t tiles_of(const ExpertRouting& routing) { return divided_up(routing.sample_choices(), tile_choices); }
Tiles tiles_in(void* scratch, const ExpertRouting& routing) {
  auto* counts = static_cast<int*>(scratch);
  return {routing, tiles_of(routing), counts, counts + routing.samples * routing.experts * tiles_of(routing)};
}
Shape shape_of(const Tiles& tiles) {
  const dim3 blocks{static_cast<unsigned>(tiles.count), static_cast<unsigned>(tiles.routing.samples)};
  return {blocks, tile_threads, sizeof(int) * tile_choices};
}

/// A block has some columns of each row whose number is its own, modulo the grid's height.
template <int Width, class To, class From>
__global__ void __launch_bounds__(column_lanes* column_rows)
    permute_rows_kernel(To* out, const From* in, const int* places, const float* weights, ChosenRows shape) {
  const std::int64_t column = (static_cast<std::int64_t>(blockIdx.x) * column_lanes + threadIdx.x) * Width;
  if (column >= shape.width) return;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * column_rows + threadIdx.y;
  for (std::int64_t choice = first; choice < shape.tokens * shape.per_token;
       choice += static_cast<std::int64_t>(gridDim.y) * column_rows) {
    const std::int64_t place = places[choice];
    if (place < 0) continue;
    auto pack = load<Width>(in + choice / shape.per_token * shape.width + column);
    const float weight = weights != nullptr ? weights[choice] : 1.0f;
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) pack.value[k] *= weight;
    store(out + place * shape.width + column, pack);
  }
}

template <int Width, class T>
__global__ void __launch_bounds__(column_lanes* column_rows)
    add_unpermuted_rows_kernel(float* out, const T* rows, const int* places, const float* weights, ChosenRows shape) {
  const std::int64_t column = (static_cast<std::int64_t>(blockIdx.x) * column_lanes + threadIdx.x) * Width;
  if (column >= shape.width) return;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * column_rows + threadIdx.y;
  for (std::int64_t token = first; token < shape.tokens; token += static_cast<std::int64_t>(gridDim.y) * column_rows) {
    auto sum = load<Width>(out + token * shape.width + column);
    for (std::int64_t choice = token * shape.per_token; choice < (token + 1) * shape.per_token; ++choice) {
      const std::int64_t place = places[choice];
      if (place < 0) continue;
      const auto pack = load<Width>(rows + place * shape.width + column);
      const float weight = weights != nullptr ? weights[choice] : 1.0f;
      PIPEDECK_UNROLL
      for (int k = 0; k < Width; ++k) sum.value[k] += weight * pack.value[k];
    }
    store(out + token * shape.width + column, sum);
  }
}

template <class T>
struct ExpertGate {
  T* in_gradient;
  float* weight_gradient;
  const T *out_gradient, *in, *out;
  const int* places;
  const float* weights;
  ChosenRows shape;
};

template <int Width, class T>
__global__ void expert_gate_backward_kernel(ExpertGate<T> work) {
  auto* shared = shared_memory<float>();
  const std::int64_t choice = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (choice >= work.shape.tokens * work.shape.per_token) return;
  const std::int64_t place = work.places[choice], columns = work.shape.width;
  if (place < 0) {
    if (threadIdx.x == 0) work.weight_gradient[choice] = 0;
    return;
  }
  const float weight = work.weights[choice];
  const std::int64_t begin = place * columns, step = static_cast<std::int64_t>(blockDim.x) * Width;
  float product = 0;
  for (std::int64_t i = threadIdx.x * Width; i < columns; i += step) {
    const auto gradient = load<Width>(work.out_gradient + begin + i), out = load<Width>(work.out + begin + i);
    auto gate = load<Width>(work.in + 2 * begin + i), up = load<Width>(work.in + 2 * begin + columns + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) {
      product += gradient.value[k] * out.value[k];
      const float x = gate.value[k], s = 1.0f / (1.0f + expf(-x)), u = up.value[k], g = weight * gradient.value[k];
      gate.value[k] = g * u * s * (1.0f + x * (1.0f - s));
      up.value[k] = g * x * s;
    }
    store(work.in_gradient + 2 * begin + i, gate);
    store(work.in_gradient + 2 * begin + columns + i, up);
  }
  product = row_reduce(product, shared, Adding{});
  if (threadIdx.x == 0) work.weight_gradient[choice] = product;
}

/// Returns blocks over `rows` rows of packs.
dim3 blocks_over(std::int64_t rows, std::int64_t columns, int width) {
  const std::int64_t across = divided_up(columns, std::int64_t{width} * column_lanes);
  return {static_cast<unsigned>(across), blocks_for(divided_up(rows, column_rows), divided_up(4096, across))};
}

}  // namespace

std::size_t place_choices_scratch(const ExpertRouting& routing) {
  return sizeof(int) * static_cast<std::size_t>(routing.samples * routing.experts * (tiles_of(routing) + 1));
}

void count_choices(cudaStream_t stream, int* loads, const int* choices, void* scratch, const ExpertRouting& routing) {
  if (routing.choices() > 0x7fffffff) throw std::invalid_argument("more than 2^31 - 1 choices of experts at once");
  if (routing.choices() <= 0) return;
  const Tiles tiles = tiles_in(scratch, routing);
  launch(count_tile_kernel, shape_of(tiles), stream, tiles, choices);
  launch(add_tiles_kernel, {static_cast<unsigned>(routing.samples), tile_threads}, stream, tiles, loads);
}

void place_choices(cudaStream_t stream, int* places, int* first, int* loads, const int* earlier, const int* choices,
                   void* scratch, const ExpertRouting& routing) {
  count_choices(stream, loads, choices, scratch, routing);
  if (routing.choices() <= 0) return;
  const Tiles tiles = tiles_in(scratch, routing);
  launch(add_samples_kernel, {1, tile_threads}, stream, tiles, first, static_cast<const int*>(loads), earlier);
  launch(place_tile_kernel, shape_of(tiles), stream, tiles, places, static_cast<const int*>(first), earlier, choices);
}

void sum_loads(cudaStream_t stream, int* earlier, int* all, const int* gathered, std::int64_t count, int ranks,
               int rank) {
  each<1>(stream, SumLoads{earlier, all, gathered, count, ranks, rank}, count, true);
}

template <class To, class From>
void permute_rows(cudaStream_t stream, To* out, const From* in, const int* places, const float* weights,
                  const ChosenRows& shape) {
  if (shape.tokens <= 0 || shape.width <= 0) return;
  constexpr int full = common_width<To, From>;
  with_width<full>(shape.width % full == 0 && are_aligned<full>(out) && are_aligned<full>(in), [&](auto width) {
    launch(permute_rows_kernel<width, To, From>,
           {blocks_over(shape.tokens * shape.per_token, shape.width, width), {column_lanes, column_rows}}, stream, out,
           in, places, weights, shape);
  });
}

template <class T>
void add_unpermuted_rows(cudaStream_t stream, float* out, const T* rows, const int* places, const float* weights,
                         const ChosenRows& shape) {
  if (shape.tokens <= 0 || shape.width <= 0) return;
  constexpr int full = common_width<T, float>;
  with_width<full>(shape.width % full == 0 && are_aligned<full>(out) && are_aligned<full>(rows), [&](auto width) {
    launch(add_unpermuted_rows_kernel<width, T>,
           {blocks_over(shape.tokens, shape.width, width), {column_lanes, column_rows}}, stream, out, rows, places,
           weights, shape);
  });
}

template <class T>
void expert_gate_backward(cudaStream_t stream, T* in_gradient, float* weight_gradient, const T* out_gradient,
                          const T* in, const T* out, const int* places, const float* weights, const ChosenRows& shape) {
  if (shape.tokens <= 0 || shape.width <= 0) return;
  constexpr int full = full_width<T>;
  const ExpertGate<T> work{in_gradient, weight_gradient, out_gradient, in, out, places, weights, shape};
  with_width<full>(shape.width % full == 0 && are_aligned<full>(in_gradient, out_gradient, in, out), [&](auto width) {
    const RowThreads threads = row_threads(divided_up(shape.width, width));
    launch(expert_gate_backward_kernel<width, T>,
           {threads.blocks(shape.tokens * shape.per_token), threads.threads(), sizeof(float) * warp_results}, stream,
           work);
  });
}

#define PIPEDECK_INSTANTIATE(To, From) \
  template void permute_rows<To, From>(cudaStream_t, To*, const From*, const int*, const float*, const ChosenRows&);
PIPEDECK_INSTANTIATE(float, float)
PIPEDECK_INSTANTIATE(Bf16, float)
PIPEDECK_INSTANTIATE(Bf16, Bf16)
#undef PIPEDECK_INSTANTIATE
#define PIPEDECK_INSTANTIATE(T)                                                                                      \
  template void add_unpermuted_rows<T>(cudaStream_t, float*, const T*, const int*, const float*, const ChosenRows&); \
  template void expert_gate_backward<T>(cudaStream_t, T*, float*, const T*, const T*, const T*, const int*,          \
                                        const float*, const ChosenRows&);
PIPEDECK_INSTANTIATE(float)
PIPEDECK_INSTANTIATE(Bf16)

}  // namespace pipedeck::runtime::cuda
