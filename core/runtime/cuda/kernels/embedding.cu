// SPDX-License-Identifier: Apache-2.0
// Embedding kernels. The table's gradient adds rows in any number per token. Row numbers are sorted by token, then by
// position in the batch (Batcher's bitonic sort, 1968). Blocks then add each token's rows in order. A token of more
// than 64 rows, such as a text's spaces, has its rows added 64 at a time at once, then those sums in order.
#include <stdexcept>

#include "core/runtime/cuda/kernels/columns.cuh"

namespace pipedeck::runtime::cuda {
namespace {

using Key = unsigned long long;  // token in the upper half, row in the lower

constexpr int sort_threads = 512, sorted_at_once = 2 * sort_threads;

__device__ bool is_token(float token, std::int64_t vocabulary) {
  return token >= 0.0f && token < static_cast<float>(vocabulary);
}

template <int Width, class T>
__global__ void __launch_bounds__(column_lanes* column_rows)
    embedding_kernel(T* out, const float* tokens, const float* table, const float* positions, EmbeddingShape shape) {
  const std::int64_t column = (static_cast<std::int64_t>(blockIdx.x) * column_lanes + threadIdx.x) * Width;
  if (column >= shape.width) return;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * column_rows + threadIdx.y;
  const std::int64_t rows = shape.samples * shape.sequence;
  for (std::int64_t row = first; row < rows; row += static_cast<std::int64_t>(gridDim.y) * column_rows) {
    const float token = tokens[row];
    Pack<Width> pack{};
    if (positions != nullptr) pack = load<Width>(positions + row % shape.sequence * shape.width + column);
    if (is_token(token, shape.vocabulary)) {
      const std::int64_t word = static_cast<std::int64_t>(token) - shape.first;
      if (word >= 0 && word < shape.table_rows()) {
        const auto own = load<Width>(table + word * shape.width + column);
        PIPEDECK_UNROLL
        for (int k = 0; k < Width; ++k) pack.value[k] += own.value[k];
      }
    } else {
      PIPEDECK_UNROLL
      for (int k = 0; k < Width; ++k) pack.value[k] = NAN;
    }
    store(out + row * shape.width + column, pack);
  }
}

/// Makes the keys, with the rows of the table as tokens. Rows without a token of the table, and the padding up to
/// `count`, come after all others.
__global__ void __launch_bounds__(256)
    make_keys_kernel(Key* keys, const float* tokens, EmbeddingShape shape, std::int64_t rows, std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const bool known = i < rows && is_token(tokens[i], shape.vocabulary);
  const std::int64_t word = known ? static_cast<std::int64_t>(tokens[i]) - shape.first : -1;
  keys[i] = word >= 0 && word < shape.table_rows() ? static_cast<Key>(word) << 32 | static_cast<Key>(i) : ~Key{0};
}

/// Swaps the pair number `pair`, whose members are `distance` apart, if it violates the order of its run of `length`.
__device__ void order_pair(Key* keys, std::int64_t pair, std::int64_t first_key, std::int64_t distance,
                           std::int64_t length) {
  const std::int64_t lower = 2 * pair - (pair & (distance - 1)), upper = lower + distance;
  const bool ascending = ((first_key + lower) & length) == 0;
  const Key a = keys[lower], b = keys[upper];
  if ((a > b) != ascending) return;
  keys[lower] = b;
  keys[upper] = a;
}

/// Runs all steps from runs of `from` to runs of `to` that stay within a block's keys.
__global__ void __launch_bounds__(sort_threads) sort_block_kernel(Key* keys, std::int64_t from, std::int64_t to) {
  auto* shared = shared_memory<Key>();
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * sorted_at_once;
  for (int i = static_cast<int>(threadIdx.x); i < sorted_at_once; i += sort_threads) shared[i] = keys[first + i];
  for (std::int64_t length = from; length <= to; length *= 2)
    for (std::int64_t distance = length / 2 < sort_threads ? length / 2 : sort_threads; distance > 0; distance /= 2) {
      __syncthreads();
      order_pair(shared, threadIdx.x, first, distance, length);
    }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < sorted_at_once; i += sort_threads) keys[first + i] = shared[i];
}

__global__ void __launch_bounds__(256)
    sort_step_kernel(Key* keys, std::int64_t distance, std::int64_t length, std::int64_t pairs) {
  const std::int64_t pair = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (pair < pairs) order_pair(keys, pair, 0, distance, length);
}

/// `count` is a power of two, at least sorted_at_once.
void sort_keys(cudaStream_t stream, Key* keys, std::int64_t count) {
  const Shape in_blocks{static_cast<unsigned>(count / sorted_at_once), sort_threads, sizeof(Key) * sorted_at_once};
  launch(sort_block_kernel, in_blocks, stream, keys, std::int64_t{2}, std::int64_t{sorted_at_once});
  for (std::int64_t length = 2 * sorted_at_once; length <= count; length *= 2) {
    for (std::int64_t distance = length / 2; distance >= sorted_at_once; distance /= 2)
      launch(sort_step_kernel, {static_cast<unsigned>(count / 512), 256}, stream, keys, distance, length, count / 2);
    launch(sort_block_kernel, in_blocks, stream, keys, length, length);
  }
}

constexpr std::int64_t chunk = 64;  ///< rows of a token that one block adds

constexpr Key no_token = ~Key{0} >> 32;

/// The gradients of the rows of sorted keys.
template <class T>
struct TokenRows {
  const T* out_gradient;
  const Key* keys;
  std::int64_t rows, width;

  __device__ Key token_at(std::int64_t i) const { return keys[i] >> 32; }
  /// Returns the first key of the token of key i.
  __device__ std::int64_t first_of(std::int64_t i) const {
    const Key least = token_at(i) << 32;
    std::int64_t low = 0, high = i;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (keys[middle] < least)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  /// True if the chunk from key i on has all of its rows.
  __device__ bool full_chunk(std::int64_t i) const {
    return i + chunk <= rows && token_at(i + chunk - 1) == token_at(i);
  }
  /// Adds the rows of keys [i, end).
  template <int Width>
  __device__ void add(Pack<Width>& sum, std::int64_t i, std::int64_t end, std::int64_t column) const {
    for (; i < end; ++i) {
      const auto row = static_cast<std::int64_t>(keys[i] & 0xffffffffu);
      const auto pack = load<Width>(out_gradient + row * width + column);
      PIPEDECK_UNROLL
      for (int k = 0; k < Width; ++k) sum.value[k] += pack.value[k];
    }
  }
};

/// Row s of `chunks` = the sum of the full chunk that has key 64 s; each has one such key. Others are not written.
template <int Width, class T>
__global__ void __launch_bounds__(256) add_chunks_kernel(float* chunks, TokenRows<T> of) {
  const std::int64_t inside = blockIdx.x * chunk;
  if (of.token_at(inside) == no_token) return;
  const std::int64_t first = of.first_of(inside), begin = first + (inside - first) / chunk * chunk;
  if (!of.full_chunk(begin)) return;
  for (std::int64_t column = threadIdx.x * Width; column < of.width;
       column += static_cast<std::int64_t>(blockDim.x) * Width) {
    Pack<Width> sum{};
    of.add(sum, begin, begin + chunk, column);
    store(chunks + blockIdx.x * of.width + column, sum);
  }
}

/// One block per key: the block with a token's first key adds its full chunks, then its other rows.
template <int Width, class T>
__global__ void __launch_bounds__(256)
    add_to_table_kernel(float* table_gradient, const float* chunks, TokenRows<T> of) {
  const std::int64_t first = blockIdx.x;
  const Key token = of.token_at(first);
  if (token == no_token || (first > 0 && of.token_at(first - 1) == token)) return;
  for (std::int64_t column = threadIdx.x * Width; column < of.width;
       column += static_cast<std::int64_t>(blockDim.x) * Width) {
    float* to = table_gradient + static_cast<std::int64_t>(token) * of.width + column;
    auto sum = load<Width>(to);
    std::int64_t i = first;
    for (; i < of.rows && of.token_at(i) == token && of.full_chunk(i); i += chunk) {
      const auto pack = load<Width>(chunks + (i + chunk - 1) / chunk * of.width + column);
      PIPEDECK_UNROLL
      for (int k = 0; k < Width; ++k) sum.value[k] += pack.value[k];
    }
    std::int64_t end = i;
    while (end < of.rows && of.token_at(end) == token) ++end;
    of.add(sum, i, end, column);
    store(to, sum);
  }
}

std::int64_t keys_of(std::int64_t rows) {
  std::int64_t count = sorted_at_once;
  while (count < rows) count *= 2;
  return count;
}

/// Returns the bytes of the sorted keys.
std::size_t key_bytes(std::int64_t rows) { return sizeof(Key) * static_cast<std::size_t>(keys_of(rows)); }

std::size_t larger(std::size_t a, std::size_t b) { return a > b ? a : b; }

}  // namespace

template <class T>
void embedding(cudaStream_t stream, T* out, const float* tokens, const float* table, const float* positions,
               const EmbeddingShape& shape) {
  if (shape.rows() <= 0 || shape.width <= 0) return;
  constexpr int full = full_width<T>;
  with_width<full>(shape.width % full == 0 && are_aligned<full>(out, table, positions), [&](auto width) {
    const std::int64_t across = divided_up(shape.width, width * column_lanes);
    const dim3 blocks{static_cast<unsigned>(across),
                      blocks_for(divided_up(shape.rows(), column_rows), divided_up(4096, across))};
    launch(embedding_kernel<width, T>, {blocks, {column_lanes, column_rows}}, stream, out, tokens, table, positions,
           shape);
  });
}

std::size_t embedding_backward_scratch(const EmbeddingShape& shape) {
  const auto chunks = static_cast<std::size_t>(divided_up(shape.rows(), chunk) * shape.width);
  return larger(key_bytes(shape.rows()) + sizeof(float) * chunks,
                column_sums_scratch(shape.samples, shape.sequence * shape.width));
}

template <class T>
void embedding_backward(cudaStream_t stream, float* table_gradient, float* position_gradient, const T* out_gradient,
                        const float* tokens, void* scratch, const EmbeddingShape& shape) {
  const std::int64_t rows = shape.rows();
  if (rows <= 0 || shape.width <= 0) return;
  if (rows > 0x7fffffff) throw std::invalid_argument("an embedding of more than 2^31 - 1 rows at once");
  if (position_gradient != nullptr)
    add_column_sums(stream, position_gradient, out_gradient, scratch, shape.samples, shape.sequence * shape.width);
  auto* keys = static_cast<Key*>(scratch);
  const std::int64_t count = keys_of(rows);
  launch(make_keys_kernel, {static_cast<unsigned>(count / 256), 256}, stream, keys, tokens, shape, rows, count);
  sort_keys(stream, keys, count);
  auto* chunks = reinterpret_cast<float*>(static_cast<char*>(scratch) + key_bytes(rows));
  const TokenRows<T> of{out_gradient, keys, rows, shape.width};
  constexpr int full = full_width<T>;
  with_width<full>(shape.width % full == 0 && are_aligned<full>(table_gradient, out_gradient), [&](auto width) {
    const std::int64_t lanes = divided_up(divided_up(shape.width, width), 32) * 32;
    const auto threads = static_cast<unsigned>(lanes < 256 ? lanes : 256);
    launch(add_chunks_kernel<width, T>, {static_cast<unsigned>(divided_up(rows, chunk)), threads}, stream, chunks, of);
    launch(add_to_table_kernel<width, T>, {static_cast<unsigned>(rows), threads}, stream, table_gradient,
           static_cast<const float*>(chunks), of);
  });
}

#define PIPEDECK_INSTANTIATE(T)                                                                                  \
  template void embedding<T>(cudaStream_t, T*, const float*, const float*, const float*, const EmbeddingShape&); \
  template void embedding_backward<T>(cudaStream_t, float*, float*, const T*, const float*, void*,               \
                                      const EmbeddingShape&);
PIPEDECK_INSTANTIATE(float)
PIPEDECK_INSTANTIATE(Bf16)

}  // namespace pipedeck::runtime::cuda
