// SPDX-License-Identifier: Apache-2.0
// Multi-head scaled dot-product attention (Vaswani et al., 2017), with query heads that share keys and values
// (Ainslie et al., arXiv 2305.13245).
#pragma once

#include <cstdint>
#include <vector>

namespace pipedeck::runtime::cpu {

/// The heads of a tensor's rows. The heads of a row lie next to each other; rows are `stride` floats apart.
template <class Float>
struct HeadRows {
  Float* data;
  std::int64_t stride;
};

struct AttentionShape {
  std::int64_t heads, key_value_heads;      ///< consecutive query heads share a key-value head
  std::int64_t key_width, value_width;      ///< of a head
  std::vector<std::int64_t> queries, keys;  ///< the positions of a sample's rows in its sequence, ascending
  bool causal;
  std::int64_t window = 0;  ///< causal: positions that a query sees, its own included; 0: all up to its own

  std::int64_t query_rows() const { return static_cast<std::int64_t>(queries.size()); }
  std::int64_t key_rows() const { return static_cast<std::int64_t>(keys.size()); }
  std::int64_t scores() const { return query_rows() * key_rows(); }  ///< of a head and sample
};

/// Returns the positions 0 to count - 1.
std::vector<std::int64_t> all_positions(std::int64_t count);

/// The rows of queries, keys and values, samples one after the other.
struct AttentionInputs {
  HeadRows<const float> queries, keys, values;
};
struct AttentionGradients {
  HeadRows<float> queries, keys, values;
};

/// Computes `context`, of the shape of queries with heads as wide as values. probability: samples x heads x query rows
/// x key rows.
void attention(HeadRows<float> context, float* probability, const AttentionInputs& in, int samples,
               const AttentionShape& shape);

/// Computes the inputs' gradients from that of the context. `scratch` has scores() floats.
void attention_backward(const AttentionGradients& gradients, HeadRows<const float> context_gradient,
                        const float* probability, const AttentionInputs& in, float* scratch, int samples,
                        const AttentionShape& shape);

// Attention over blocks of keys and values that come one after the other, with an online softmax (Liu et al., arXiv
// 2310.01889; Milakov and Gimelshein, arXiv 1805.02867). Statistics are of samples x heads x query rows.

/// The largest score of each query so far, and the sum of e^(score - largest).
struct OnlineSoftmax {
  float *largest, *sum;
};
/// Adds the keys and values of a block to `context`, which is not divided by the sums yet. Begin with context and sums
/// of 0 and the lowest float as largest scores. `scratch` has scores() floats.
void add_attention_block(HeadRows<float> context, const OnlineSoftmax& softmax, const AttentionInputs& in,
                         float* scratch, int samples, const AttentionShape& shape);
/// Divides the contexts by the sums. `softmax.largest` becomes log sum e^score.
void finish_attention(HeadRows<float> context, const OnlineSoftmax& softmax, int samples, const AttentionShape& shape);

/// Computes the product of each query's context and its gradient.
void context_products(float* products, HeadRows<const float> context, HeadRows<const float> gradient, int samples,
                      const AttentionShape& shape);
/// Adds the gradients of a block. `log_sums` and `products` are of finish_attention() and context_products(). `scratch`
/// has 2 scores() floats.
void attention_block_backward(const AttentionGradients& gradients, HeadRows<const float> context_gradient,
                              const float* log_sums, const float* products, const AttentionInputs& in, float* scratch,
                              int samples, const AttentionShape& shape);

}  // namespace pipedeck::runtime::cpu
