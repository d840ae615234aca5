// SPDX-License-Identifier: Apache-2.0
// FlashAttention-2 (Dao, 2023) in bf16 on tensor cores. Each warp has 16 rows. Scores, weights and sums stay in its
// registers, where one product's result is the left factor of the next ("Work Partitioning Between Warps", section
// 3.3). Weights and the scores' gradients are rounded to bf16 for the second product; sums are fp32.
#include <cfloat>

#include "core/runtime/cuda/kernels/attention.cuh"
#include "core/runtime/cuda/kernels/rows.cuh"
#include "core/runtime/cuda/kernels/tensor_cores.cuh"

namespace pipedeck::runtime::cuda {
namespace {

constexpr int warps = 4, threads = 32 * warps, rows_per_thread = 16 * warps;

/// Values from a row to the next: rows are 16-byte aligned, and eight of them begin at different banks.
template <int Head>
constexpr int stride = Head + 8;

/// Loads `rows` rows of `Head` values: 0 after `valid` rows and heads.size columns.
template <int Head>
__device__ void load_tile(Bf16* to, const Bf16* from, std::int64_t from_stride, int rows, std::int64_t valid,
                          const Heads& heads) {
  const auto load_by = [&](auto width_of_block) {
    constexpr int width = decltype(width_of_block)::value, across = Head / width;
    for (int i = static_cast<int>(threadIdx.x); i < rows * across; i += threads) {
      const int row = i / across, column = i % across * width;
      Block<Bf16, width> block;
      PIPEDECK_UNROLL
      for (int k = 0; k < width; ++k) block.value[k] = from_float<Bf16>(0.0f);
      if (row < valid && column < heads.size)
        block = load_vector<Block<Bf16, width>>(from + row * from_stride + column);
      store_vector(to + row * stride<Head> + column, block);
    }
  };
  if (heads.aligned)
    load_by(std::integral_constant<int, 8>{});
  else
    load_by(std::integral_constant<int, 1>{});
}

/// Returns the rows of a warp: `to` is the first of the block's.
template <int Head>
__device__ void store_rows(Bf16* to, std::int64_t to_stride, const ResultFragment (&values)[Head / 8],
                           std::int64_t valid, const Heads& heads) {
  PIPEDECK_UNROLL
  for (int n = 0; n < Head / 8; ++n) PIPEDECK_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int row = static_cast<int>(threadIdx.x) / 32 * 16 + lane_group() + 8 * half, column = 8 * n + lane_pair();
    if (row >= valid || column >= heads.size) continue;
    Bf16* own = to + row * to_stride + column;
    const float lower = values[n].value[2 * half], upper = values[n].value[2 * half + 1];
    if (heads.aligned) {
      store_vector(own, pair_of(lower, upper));
    } else {
      own[0] = from_float<Bf16>(lower);
      if (column + 1 < heads.size) own[1] = from_float<Bf16>(upper);
    }
  }
}

/// result = the warp's 16 rows of `left` times the rows of `right`: left right^T.
template <int Head, int Columns>
__device__ void rows_product(ResultFragment (&result)[Columns / 8], const Bf16* left, const Bf16* right) {
  PIPEDECK_UNROLL
  for (int n = 0; n < Columns / 8; ++n) result[n] = {};
  PIPEDECK_UNROLL
  for (int k = 0; k < Head; k += 16) {
    const LeftFragment own = load_left(left + k, stride<Head>);
    PIPEDECK_UNROLL
    for (int n = 0; n < Columns / 8; ++n)
      multiply_add(result[n], own, load_right_from_rows(right + 8 * n * stride<Head> + k, stride<Head>));
  }
}

/// sum += weights times `right`, which has a row for each of their columns.
template <int Head, int Columns>
__device__ void add_product(ResultFragment (&sum)[Head / 8], const ResultFragment (&weights)[Columns / 8],
                            const Bf16* right) {
  PIPEDECK_UNROLL
  for (int k = 0; k < Columns / 16; ++k) {
    const LeftFragment left = as_left(weights[2 * k], weights[2 * k + 1]);
    PIPEDECK_UNROLL
    for (int n = 0; n < Head / 16; ++n) {
      const RightFragmentPair two = load_right_pair(right + 16 * k * stride<Head> + 16 * n, stride<Head>);
      multiply_add(sum[2 * n], left, two.of[0]);
      multiply_add(sum[2 * n + 1], left, two.of[1]);
    }
  }
}

/// Reduces over the four lanes that share a row.
template <class Combine>
__device__ float lane_reduce(float value, Combine combine) {
  value = combine(value, __shfl_xor_sync(full_warp_mask, value, 1));
  return combine(value, __shfl_xor_sync(full_warp_mask, value, 2));
}

template <int Head, int Columns>
constexpr std::size_t forward_bytes() {
  return sizeof(Bf16) * (rows_per_thread + 2 * Columns) * stride<Head>;
}

/// Algorithm 1 for rows_per_thread queries, Columns keys at a time.
template <int Head, int Columns>
__global__ void __launch_bounds__(threads) forward_kernel(Bf16* out, float* logsumexp, const Bf16* qkv, Heads heads) {
  auto* queries = shared_memory<Bf16>();
  Bf16 *keys = queries + rows_per_thread * stride<Head>, *values = keys + Columns * stride<Head>;
  const Place place = place_of(heads, rows_per_thread, true);
  const std::int64_t sequence = heads.sequence, packed = 3 * heads.hidden;
  const Bf16* q = qkv + place.sample * sequence * packed + place.head * heads.size;
  load_tile<Head>(queries, q + place.first * packed, packed, rows_per_thread, sequence - place.first, heads);
  const int warp_row = static_cast<int>(threadIdx.x) / 32 * 16;
  const std::int64_t first_row = place.first + warp_row + lane_group();
  ResultFragment sum[Head / 8]{};
  float largest[2] = {-FLT_MAX, -FLT_MAX}, total[2] = {};
  const std::int64_t behind = place.first + rows_per_thread;
  const std::int64_t end = heads.causal && behind < sequence ? behind : sequence;
  for (std::int64_t first = 0; first < end; first += Columns) {
    const Bf16* k = q + heads.hidden + first * packed;
    load_tile<Head>(keys, k, packed, Columns, sequence - first, heads);
    load_tile<Head>(values, k + heads.hidden, packed, Columns, sequence - first, heads);
    __syncthreads();
    ResultFragment scores[Columns / 8];
    rows_product<Head, Columns>(scores, queries + warp_row * stride<Head>, keys);
    PIPEDECK_UNROLL
    for (int half = 0; half < 2; ++half) {
      const std::int64_t row = first_row + 8 * half;
      float most = largest[half], seen_sum = 0;
      PIPEDECK_UNROLL
      for (int n = 0; n < Columns / 8; ++n) PIPEDECK_UNROLL
      for (int i = 0; i < 2; ++i) {
        const std::int64_t column = first + 8 * n + lane_pair() + i;
        float& score = scores[n].value[2 * half + i];
        score = column < sequence && (!heads.causal || column <= row) ? score * heads.scale : -FLT_MAX;
        most = Larger{}(most, score);
      }
      // Line 9. Every row sees column 0: from the first tile on its maximum is a score.
      most = lane_reduce(most, Larger{});
      PIPEDECK_UNROLL
      for (int n = 0; n < Columns / 8; ++n) PIPEDECK_UNROLL
      for (int i = 0; i < 2; ++i) {
        float& score = scores[n].value[2 * half + i];
        score = score == -FLT_MAX ? 0.0f : expf(score - most);
        seen_sum += score;
      }
      const float shrunk = expf(largest[half] - most);
      largest[half] = most;
      total[half] = shrunk * total[half] + lane_reduce(seen_sum, Adding{});
      PIPEDECK_UNROLL
      for (int n = 0; n < Head / 8; ++n) {
        sum[n].value[2 * half] *= shrunk;
        sum[n].value[2 * half + 1] *= shrunk;
      }
    }
    add_product<Head, Columns>(sum, scores, values);  // line 10
    __syncthreads();
  }
  PIPEDECK_UNROLL
  for (int half = 0; half < 2; ++half) {
    const std::int64_t row = first_row + 8 * half;
    PIPEDECK_UNROLL
    for (int n = 0; n < Head / 8; ++n) {  // line 12
      sum[n].value[2 * half] /= total[half];
      sum[n].value[2 * half + 1] /= total[half];
    }
    if (row < sequence && lane_pair() == 0)  // line 13
      logsumexp[(place.sample * heads.heads + place.head) * sequence + row] = largest[half] + logf(total[half]);
  }
  Bf16* to = out + (place.sample * sequence + place.first) * heads.hidden + place.head * heads.size;
  store_rows<Head>(to, heads.hidden, sum, sequence - place.first, heads);
}

template <int Head, int Others>
constexpr std::size_t backward_bytes() {
  return sizeof(Bf16) * 2 * (rows_per_thread + Others) * stride<Head>;
}

/// Runs algorithm 2 from one side. OfKeys: a block has rows_per_thread keys and values, iterates over the queries and
/// the output's gradients, and computes dK and dV with transposed scores. Otherwise it has queries, iterates over keys,
/// and computes dQ.
template <int Head, int Others, bool OfKeys>
__global__ void __launch_bounds__(threads) backward_kernel(Gradients<Bf16> work) {
  const Heads& heads = work.heads;
  auto* own_in_scores = shared_memory<Bf16>();  // queries or keys
  Bf16 *own_in_gradients = own_in_scores + rows_per_thread * stride<Head>,
       *other_in_scores = own_in_gradients + rows_per_thread * stride<Head>,
       *other_in_gradients = other_in_scores + Others * stride<Head>;
  const Place place = place_of(heads, rows_per_thread, !OfKeys);
  const std::int64_t sequence = heads.sequence, hidden = heads.hidden, packed = 3 * hidden;
  const std::int64_t head_column = place.head * heads.size, sample_row = place.sample * sequence;
  const float* logsumexp = work.logsumexp + (place.sample * heads.heads + place.head) * sequence;
  const float* delta = work.delta + (place.sample * heads.heads + place.head) * sequence;

  const auto load_side = [&](bool keys, Bf16* in_scores, Bf16* in_gradients, std::int64_t first, int rows) {
    const Bf16* q = work.qkv + (sample_row + first) * packed + head_column;
    const Bf16* gradient = work.out_gradient + (sample_row + first) * hidden + head_column;
    load_tile<Head>(in_scores, keys ? q + hidden : q, packed, rows, sequence - first, heads);
    load_tile<Head>(in_gradients, keys ? q + 2 * hidden : gradient, keys ? packed : hidden, rows, sequence - first,
                    heads);
  };
  load_side(OfKeys, own_in_scores, own_in_gradients, place.first, rows_per_thread);

  ResultFragment score_side[Head / 8]{}, value_side[OfKeys ? Head / 8 : 1]{};  // dK or dQ; dV
  const int warp_row = static_cast<int>(threadIdx.x) / 32 * 16;
  const std::int64_t begin = OfKeys && heads.causal ? place.first / Others * Others : 0;
  const std::int64_t end =
      !OfKeys && heads.causal && place.first + rows_per_thread < sequence ? place.first + rows_per_thread : sequence;
  for (std::int64_t first = begin; first < end; first += Others) {
    load_side(!OfKeys, other_in_scores, other_in_gradients, first, Others);
    __syncthreads();
    ResultFragment weight[Others / 8], gradient[Others / 8];
    rows_product<Head, Others>(weight, own_in_scores + warp_row * stride<Head>, other_in_scores);
    rows_product<Head, Others>(gradient, own_in_gradients + warp_row * stride<Head>, other_in_gradients);
    PIPEDECK_UNROLL
    for (int n = 0; n < Others / 8; ++n) PIPEDECK_UNROLL
    for (int i = 0; i < 4; ++i) {
      const std::int64_t own = place.first + warp_row + lane_group() + i / 2 * 8;
      const std::int64_t other = first + 8 * n + lane_pair() + i % 2;
      const std::int64_t query = OfKeys ? other : own, key = OfKeys ? own : other;
      const bool seen = query < sequence && key < sequence && (!heads.causal || key <= query);
      // Lines 11 and 14
      const float p = seen ? expf(weight[n].value[i] * heads.scale - logsumexp[query]) : 0.0f;
      weight[n].value[i] = p;
      gradient[n].value[i] = seen ? p * (gradient[n].value[i] - delta[query]) * heads.scale : 0.0f;
    }
    if constexpr (OfKeys) add_product<Head, Others>(value_side, weight, other_in_gradients);  // line 12
    add_product<Head, Others>(score_side, gradient, other_in_scores);                         // lines 15, 16
    __syncthreads();
  }
  Bf16* to = work.qkv_gradient + (sample_row + place.first) * packed + head_column;
  store_rows<Head>(OfKeys ? to + hidden : to, packed, score_side, sequence - place.first, heads);
  if constexpr (OfKeys) store_rows<Head>(to + 2 * hidden, packed, value_side, sequence - place.first, heads);
}

template <int Head, int Others, bool OfKeys>
void start_backward(cudaStream_t stream, const Gradients<Bf16>& work, const AttentionShape& shape) {
  launch(backward_kernel<Head, Others, OfKeys>,
         {blocks_of(shape, rows_per_thread), threads, backward_bytes<Head, Others>()}, stream, work);
}

template <int Head>
void start_forward(cudaStream_t stream, Bf16* out, float* logsumexp, const Bf16* qkv, const AttentionShape& shape,
                   const Heads& heads) {
  launch(forward_kernel<Head, 64>, {blocks_of(shape, rows_per_thread), threads, forward_bytes<Head, 64>()}, stream, out,
         logsumexp, qkv, heads);
}

}  // namespace

void attention_on_tensor_cores(cudaStream_t stream, Bf16* out, float* logsumexp, const Bf16* qkv,
                               const AttentionShape& shape, const Heads& heads) {
  if (shape.head_size <= 32)
    start_forward<32>(stream, out, logsumexp, qkv, shape, heads);
  else if (shape.head_size <= 64)
    start_forward<64>(stream, out, logsumexp, qkv, shape, heads);
  else
    start_forward<128>(stream, out, logsumexp, qkv, shape, heads);
}

/// For heads of 128 values the sums of dK and dV fill half of the registers: it takes fewer columns at a time.
void attention_backward_on_tensor_cores(cudaStream_t stream, const Gradients<Bf16>& work, const AttentionShape& shape) {
  if (shape.head_size <= 32) {
    start_backward<32, 64, true>(stream, work, shape);
    start_backward<32, 64, false>(stream, work, shape);
  } else if (shape.head_size <= 64) {
    start_backward<64, 64, true>(stream, work, shape);
    start_backward<64, 64, false>(stream, work, shape);
  } else {
    start_backward<128, 32, true>(stream, work, shape);
    start_backward<128, 32, false>(stream, work, shape);
  }
}

}  // namespace pipedeck::runtime::cuda
