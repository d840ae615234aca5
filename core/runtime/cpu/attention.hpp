// SPDX-License-Identifier: Apache-2.0
// Multi-head scaled dot-product attention (Vaswani et al., 2017) over packed queries, keys and values.
#pragma once

#include <cstdint>

namespace pipedeck::runtime::cpu {

struct AttentionShape {
  std::int64_t hidden, heads, sequence;
  bool causal;
  std::int64_t head_width() const { return hidden / heads; }
};

/// qkv: (samples * sequence) x 3 hidden; probability: samples x heads x sequence x sequence; context: rows x hidden.
void attention(float* context, float* probability, const float* qkv, int samples, const AttentionShape& shape);

/// `scratch` has sequence x sequence floats.
void attention_backward(float* qkv_gradient, const float* context_gradient, const float* probability, const float* qkv,
                        float* scratch, int samples, const AttentionShape& shape);

}  // namespace pipedeck::runtime::cpu
