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

}  // namespace pipedeck::runtime::cpu
