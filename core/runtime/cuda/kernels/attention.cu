// SPDX-License-Identifier: Apache-2.0
// FlashAttention-2 (Dao, 2023): algorithm 1 forward, algorithm 2 backward. A block holds one tile of queries (or of
// keys and values) in shared memory and iterates over the others; the scores only exist tile by tile. In backward,
// separate blocks compute dQ instead of atomic additions: the scores are computed twice, and every sum has a fixed
// order. Arithmetic is fp32 on the plain cores, even for bf16 matrices.
#include <cfloat>
#include <stdexcept>
#include <string>

#include "core/runtime/cuda/kernels/attention.cuh"
#include "core/runtime/cuda/kernels/rows.cuh"
#include "core/runtime/cuda/kernels/tiles.cuh"

namespace pipedeck::runtime::cuda {
namespace {

template <class T>
Heads heads_of(const AttentionShape& shape, bool aligned) {
  const bool whole = shape.head_size % full_width<T> == 0;
  return {shape.sequence,
          shape.heads,
          shape.hidden(),
          static_cast<int>(shape.head_size),
          shape.causal,
          aligned && whole,
          1.0f / sqrtf(static_cast<float>(shape.head_size))};
}

/// Loads `rows` rows of `Columns` from `from`, whose rows are `stride` apart: 0 after `valid` rows and heads.size
/// columns.
template <int Columns, class T>
__device__ void load_tile(float* to, const T* from, std::int64_t stride, int rows, std::int64_t valid,
                          const Heads& heads) {
  const auto load_by = [&](auto width_of_pack) {
    constexpr int width = decltype(width_of_pack)::value;
    constexpr int across = Columns / width;
    for (int i = static_cast<int>(threadIdx.x); i < rows * across; i += tile_threads) {
      const int row = i / across, column = i % across * width;
      Pack<width> pack{};
      if (row < valid && column < heads.size) pack = load<width>(from + row * stride + column);
      store(to + row * tile_stride<Columns> + column, pack);
    }
  };
  if (heads.aligned)
    load_by(std::integral_constant<int, full_width<T>>{});
  else
    load_by(std::integral_constant<int, 1>{});
}

template <class T, int Columns, int I, int J>
__device__ void store_tile(T* to, std::int64_t stride, const float (&values)[I][J], std::int64_t valid,
                           const Heads& heads) {
  PIPEDECK_UNROLL
  for (int i = 0; i < I; ++i) PIPEDECK_UNROLL
  for (int j = 0; j < J; ++j) {
    const int row = tile_y() + tile_side * i, column = tile_x() + tile_side * j;
    if (row < valid && column < heads.size) to[row * stride + column] = from_float<T>(values[i][j]);
  }
}

template <int I, int J, class Combine>
__device__ float tile_row_reduce(const float (&values)[I][J], int i, Combine combine) {
  float value = values[i][0];
  PIPEDECK_UNROLL
  for (int j = 1; j < J; ++j) value = combine(value, values[i][j]);
  PIPEDECK_UNROLL
  for (int distance = tile_side / 2; distance > 0; distance /= 2)
    value = combine(value, __shfl_xor_sync(full_warp_mask, value, distance));
  return value;
}

template <int I, int J>
__device__ void keep_tile(float* to, const float (&values)[I][J]) {
  PIPEDECK_UNROLL
  for (int i = 0; i < I; ++i) PIPEDECK_UNROLL
  for (int j = 0; j < J; ++j)
    to[(tile_y() + tile_side * i) * tile_stride<J * tile_side> + tile_x() + tile_side * j] = values[i][j];
}

template <int Head, int Rows, int Columns>
constexpr std::size_t forward_bytes() {
  return sizeof(float) * (static_cast<std::size_t>(Rows + Columns) * tile_stride<Head> + Rows * tile_stride<Columns>);
}

/// Rows queries per block, Columns keys at a time.
template <int Head, int Rows, int Columns, class T>
__global__ void __launch_bounds__(tile_threads) attention_kernel(T* out, float* logsumexp, const T* qkv, Heads heads) {
  constexpr int rows_per_thread = Rows / tile_side, own_columns = Columns / tile_side, own_values = Head / tile_side;
  auto* queries = shared_memory<float>();
  float *keys_or_values = queries + Rows * tile_stride<Head>, *weights = keys_or_values + Columns * tile_stride<Head>;
  const Place place = place_of(heads, Rows, true);
  const std::int64_t sequence = heads.sequence, stride = 3 * heads.hidden;
  const T* q = qkv + place.sample * sequence * stride + place.head * heads.size;
  const T *k = q + heads.hidden, *v = k + heads.hidden;
  load_tile<Head>(queries, q + place.first * stride, stride, Rows, sequence - place.first, heads);
  float sum[rows_per_thread][own_values]{}, largest[rows_per_thread], total[rows_per_thread]{};
  PIPEDECK_UNROLL
  for (int i = 0; i < rows_per_thread; ++i) largest[i] = -FLT_MAX;
  const std::int64_t end = heads.causal && place.first + Rows < sequence ? place.first + Rows : sequence;
  for (std::int64_t first = 0; first < end; first += Columns) {
    load_tile<Head>(keys_or_values, k + first * stride, stride, Columns, sequence - first, heads);
    __syncthreads();
    float scores[rows_per_thread][own_columns]{};
    add_rows_product<Head>(scores, queries, keys_or_values);
    PIPEDECK_UNROLL
    for (int i = 0; i < rows_per_thread; ++i) {
      const std::int64_t row = place.first + tile_y() + tile_side * i;
      PIPEDECK_UNROLL
      for (int j = 0; j < own_columns; ++j) {
        const std::int64_t column = first + tile_x() + tile_side * j;
        const bool seen = column < sequence && (!heads.causal || column <= row);
        scores[i][j] = seen ? scores[i][j] * heads.scale : -FLT_MAX;
      }
      // Algorithm 1, line 9: every row sees column 0, so its maximum is a score from the first tile on.
      const float before = largest[i];
      largest[i] = Larger{}(before, tile_row_reduce(scores, i, Larger{}));
      PIPEDECK_UNROLL
      for (int j = 0; j < own_columns; ++j)
        scores[i][j] = scores[i][j] == -FLT_MAX ? 0.0f : expf(scores[i][j] - largest[i]);
      const float shrunk = expf(before - largest[i]);
      total[i] = shrunk * total[i] + tile_row_reduce(scores, i, Adding{});
      PIPEDECK_UNROLL
      for (int n = 0; n < own_values; ++n) sum[i][n] *= shrunk;
    }
    keep_tile(weights, scores);
    __syncthreads();
    load_tile<Head>(keys_or_values, v + first * stride, stride, Columns, sequence - first, heads);
    __syncthreads();
    add_product<Columns, Head>(sum, weights, keys_or_values);  // line 10
    __syncthreads();
  }
  PIPEDECK_UNROLL
  for (int i = 0; i < rows_per_thread; ++i) {
    const std::int64_t row = place.first + tile_y() + tile_side * i;
    PIPEDECK_UNROLL
    for (int n = 0; n < own_values; ++n) sum[i][n] /= total[i];  // line 12
    if (row < sequence && tile_x() == 0)                         // line 13
      logsumexp[(place.sample * heads.heads + place.head) * sequence + row] = largest[i] + logf(total[i]);
  }
  T* to = out + (place.sample * sequence + place.first) * heads.hidden + place.head * heads.size;
  store_tile<T, Head>(to, heads.hidden, sum, sequence - place.first, heads);
}

/// Algorithm 2, line 4: D = rowsum(dO * O), a warp for each row of a head.
template <class T>
__global__ void __launch_bounds__(256)
    delta_kernel(float* delta, const T* out_gradient, const T* out, Heads heads, std::int64_t all) {
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;  // sample, head, row
  if (index >= all) return;
  const std::int64_t row = index % heads.sequence, head = index / heads.sequence % heads.heads;
  const std::int64_t sample = index / heads.sequence / heads.heads;
  const std::int64_t begin = (sample * heads.sequence + row) * heads.hidden + head * heads.size;
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < heads.size; i += 32)
    sum += to_float(out_gradient[begin + i]) * to_float(out[begin + i]);
  sum = warp_reduce(sum, Adding{});
  if (threadIdx.x == 0) delta[index] = sum;
}

template <int Head, int Rows, int Columns>
constexpr std::size_t backward_bytes() {
  return sizeof(float) *
         (2 * static_cast<std::size_t>(Rows + Columns) * tile_stride<Head> + Rows * tile_stride<Columns>);
}

/// The tiles of one head that both backward kernels have in shared memory.
template <int Head, int Rows, int Columns>
struct Tiles {
  float *queries, *out_gradients, *keys, *values, *weights;
  __device__ explicit Tiles(float* shared)
      : queries(shared),
        out_gradients(queries + Rows * tile_stride<Head>),
        keys(out_gradients + Rows * tile_stride<Head>),
        values(keys + Columns * tile_stride<Head>),
        weights(values + Columns * tile_stride<Head>) {}

  template <class T>
  __device__ void load_queries(const Gradients<T>& work, const Place& place, std::int64_t first) {
    const std::int64_t row = place.sample * work.heads.sequence + first, stride = 3 * work.heads.hidden;
    const std::int64_t column = place.head * work.heads.size, valid = work.heads.sequence - first;
    load_tile<Head>(queries, work.qkv + row * stride + column, stride, Rows, valid, work.heads);
    load_tile<Head>(out_gradients, work.out_gradient + row * work.heads.hidden + column, work.heads.hidden, Rows, valid,
                    work.heads);
  }
  template <class T>
  __device__ void load_keys(const Gradients<T>& work, const Place& place, std::int64_t first) {
    const std::int64_t hidden = work.heads.hidden, stride = 3 * hidden, valid = work.heads.sequence - first;
    const T* from =
        work.qkv + (place.sample * work.heads.sequence + first) * stride + hidden + place.head * work.heads.size;
    load_tile<Head>(keys, from, stride, Columns, valid, work.heads);
    load_tile<Head>(values, from + hidden, stride, Columns, valid, work.heads);
  }

  /// Lines 11 and 14: P = exp(S - L) and dS = P * (dP - D), with the scale of the scores.
  template <class T, int I, int J>
  __device__ void weigh(float (&weight)[I][J], float (&gradient)[I][J], const Gradients<T>& work, const Place& place,
                        std::int64_t first_row, std::int64_t first_column) const {
    const Heads& heads = work.heads;
    add_rows_product<Head>(weight, queries, keys);
    add_rows_product<Head>(gradient, out_gradients, values);
    PIPEDECK_UNROLL
    for (int i = 0; i < I; ++i) {
      const std::int64_t row = first_row + tile_y() + tile_side * i;
      const std::int64_t at = (place.sample * heads.heads + place.head) * heads.sequence + row;
      const float own_sum = row < heads.sequence ? work.logsumexp[at] : 0.0f;
      const float own_delta = row < heads.sequence ? work.delta[at] : 0.0f;
      PIPEDECK_UNROLL
      for (int j = 0; j < J; ++j) {
        const std::int64_t column = first_column + tile_x() + tile_side * j;
        const bool seen = row < heads.sequence && column < heads.sequence && (!heads.causal || column <= row);
        weight[i][j] = seen ? expf(weight[i][j] * heads.scale - own_sum) : 0.0f;
        gradient[i][j] = weight[i][j] * (gradient[i][j] - own_delta) * heads.scale;
      }
    }
  }
};

/// dK and dV of Columns keys, over all queries that see them.
template <int Head, int Rows, int Columns, class T>
__global__ void __launch_bounds__(tile_threads) key_gradient_kernel(Gradients<T> work) {
  constexpr int rows_per_thread = Rows / tile_side, own_columns = Columns / tile_side, own_values = Head / tile_side;
  const Heads& heads = work.heads;
  Tiles<Head, Rows, Columns> tiles(shared_memory<float>());
  const Place place = place_of(heads, Columns, false);
  tiles.load_keys(work, place, place.first);
  float key_gradient[own_columns][own_values]{}, value_gradient[own_columns][own_values]{};
  for (std::int64_t first = heads.causal ? place.first / Rows * Rows : 0; first < heads.sequence; first += Rows) {
    tiles.load_queries(work, place, first);
    __syncthreads();
    float weight[rows_per_thread][own_columns]{}, gradient[rows_per_thread][own_columns]{};
    tiles.weigh(weight, gradient, work, place, first, place.first);
    keep_tile(tiles.weights, weight);
    __syncthreads();
    add_columns_product<Rows, Columns, Head>(value_gradient, tiles.weights, tiles.out_gradients);  // line 12
    __syncthreads();
    keep_tile(tiles.weights, gradient);
    __syncthreads();
    add_columns_product<Rows, Columns, Head>(key_gradient, tiles.weights, tiles.queries);  // line 16
    __syncthreads();
  }
  const std::int64_t stride = 3 * heads.hidden, valid = heads.sequence - place.first;
  T* to = work.qkv_gradient + (place.sample * heads.sequence + place.first) * stride + heads.hidden +
          place.head * heads.size;
  store_tile<T, Head>(to, stride, key_gradient, valid, heads);
  store_tile<T, Head>(to + heads.hidden, stride, value_gradient, valid, heads);
}

/// dQ of Rows queries, over all keys that they see.
template <int Head, int Rows, int Columns, class T>
__global__ void __launch_bounds__(tile_threads) query_gradient_kernel(Gradients<T> work) {
  constexpr int rows_per_thread = Rows / tile_side, own_columns = Columns / tile_side, own_values = Head / tile_side;
  const Heads& heads = work.heads;
  Tiles<Head, Rows, Columns> tiles(shared_memory<float>());
  const Place place = place_of(heads, Rows, true);
  tiles.load_queries(work, place, place.first);
  float sum[rows_per_thread][own_values]{};
  const std::int64_t end = heads.causal && place.first + Rows < heads.sequence ? place.first + Rows : heads.sequence;
  for (std::int64_t first = 0; first < end; first += Columns) {
    tiles.load_keys(work, place, first);
    __syncthreads();
    float weight[rows_per_thread][own_columns]{}, gradient[rows_per_thread][own_columns]{};
    tiles.weigh(weight, gradient, work, place, place.first, first);
    keep_tile(tiles.weights, gradient);
    __syncthreads();
    add_product<Columns, Head>(sum, tiles.weights, tiles.keys);  // line 15
    __syncthreads();
  }
  const std::int64_t stride = 3 * heads.hidden;
  T* to = work.qkv_gradient + (place.sample * heads.sequence + place.first) * stride + place.head * heads.size;
  store_tile<T, Head>(to, stride, sum, heads.sequence - place.first, heads);
}

template <int Head, int Rows, int Columns, class T>
void start_forward(cudaStream_t stream, T* out, float* logsumexp, const T* qkv, const AttentionShape& shape,
                   const Heads& heads) {
  launch(attention_kernel<Head, Rows, Columns, T>,
         {blocks_of(shape, Rows), tile_threads, forward_bytes<Head, Rows, Columns>()}, stream, out, logsumexp, qkv,
         heads);
}

/// Uses long tiles on the side whose gradients stay in registers.
template <int Head, int Long, int Short, class T>
void start_backward(cudaStream_t stream, const Gradients<T>& work, const AttentionShape& shape) {
  launch(key_gradient_kernel<Head, Short, Long, T>,
         {blocks_of(shape, Long), tile_threads, backward_bytes<Head, Short, Long>()}, stream, work);
  launch(query_gradient_kernel<Head, Long, Short, T>,
         {blocks_of(shape, Long), tile_threads, backward_bytes<Head, Long, Short>()}, stream, work);
}

void check_head(const AttentionShape& shape) {
  if (shape.head_size > max_head)
    throw std::invalid_argument("attention on GPUs: heads of at most " + std::to_string(max_head) + " values, found " +
                                std::to_string(shape.head_size));
}

bool is_empty(const AttentionShape& shape) { return shape.rows() <= 0 || shape.hidden() <= 0; }

}  // namespace

unsigned blocks_of(const AttentionShape& shape, int tile_rows) {
  const std::int64_t blocks = divided_up(shape.sequence, tile_rows) * shape.samples * shape.heads;
  if (blocks > 0x7fffffff) throw std::invalid_argument("attention over more tiles than a GPU takes at once");
  return static_cast<unsigned>(blocks);
}

template <class T>
void attention(cudaStream_t stream, T* out, float* logsumexp, const T* qkv, const AttentionShape& shape) {
  check_head(shape);
  if (is_empty(shape)) return;
  const auto heads = heads_of<T>(shape, are_aligned<full_width<T>>(qkv, out));
  if constexpr (sizeof(T) == 2)
    if (shape.head_size <= largest_head_on_tensor_cores)
      return attention_on_tensor_cores(stream, out, logsumexp, qkv, shape, heads);
  if (shape.head_size <= 32)
    start_forward<32, 64, 64>(stream, out, logsumexp, qkv, shape, heads);
  else if (shape.head_size <= 64)
    start_forward<64, 64, 64>(stream, out, logsumexp, qkv, shape, heads);
  else if (shape.head_size <= 128)
    start_forward<128, 64, 32>(stream, out, logsumexp, qkv, shape, heads);
  else
    start_forward<256, 32, 32>(stream, out, logsumexp, qkv, shape, heads);
}

std::size_t attention_backward_scratch(const AttentionShape& shape) {
  return sizeof(float) * static_cast<std::size_t>(shape.rows() * shape.heads);
}

template <class T>
void attention_backward(cudaStream_t stream, T* qkv_gradient, const T* out_gradient, const T* out,
                        const float* logsumexp, const T* qkv, void* scratch, const AttentionShape& shape) {
  check_head(shape);
  if (is_empty(shape)) return;
  const auto heads = heads_of<T>(shape, are_aligned<full_width<T>>(qkv, out_gradient, qkv_gradient));
  auto* delta = static_cast<float*>(scratch);
  const std::int64_t rows = shape.rows() * shape.heads;
  launch(delta_kernel<T>, {static_cast<unsigned>(divided_up(rows, 8)), {32, 8}}, stream, delta, out_gradient, out,
         heads, rows);
  const Gradients<T> work{qkv_gradient, out_gradient, qkv, logsumexp, delta, heads};
  if constexpr (sizeof(T) == 2)
    if (shape.head_size <= largest_head_on_tensor_cores) return attention_backward_on_tensor_cores(stream, work, shape);
  if (shape.head_size <= 32)
    start_backward<32, 64, 64>(stream, work, shape);
  else if (shape.head_size <= 64)
    start_backward<64, 64, 32>(stream, work, shape);
  else if (shape.head_size <= 128)
    start_backward<128, 32, 32>(stream, work, shape);
  else
    start_backward<256, 16, 16>(stream, work, shape);
}

#define PIPEDECK_INSTANTIATE(T)                                                                            \
  template void attention<T>(cudaStream_t, T*, float*, const T*, const AttentionShape&);                   \
  template void attention_backward<T>(cudaStream_t, T*, const T*, const T*, const float*, const T*, void*, \
                                      const AttentionShape&);
PIPEDECK_INSTANTIATE(float)
PIPEDECK_INSTANTIATE(Bf16)

}  // namespace pipedeck::runtime::cuda
