// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/attention.hpp"

#include <cmath>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/matmul.hpp"

namespace pipedeck::runtime::cpu {
namespace {

/// Returns the offset of head `head` of sample `sample` in the packed buffers.
struct Head {
  std::int64_t qkv, context, probability;
};

Head head_at(std::int64_t sample, std::int64_t head, const AttentionShape& shape) {
  const std::int64_t row = sample * shape.sequence, column = head * shape.head_width();
  return {row * 3 * shape.hidden + column, row * shape.hidden + column,
          (sample * shape.heads + head) * shape.sequence * shape.sequence};
}

float score_scale(const AttentionShape& shape) { return 1.0f / std::sqrt(static_cast<float>(shape.head_width())); }

}  // namespace

void attention(float* context, float* probability, const float* qkv, int samples, const AttentionShape& shape) {
  const std::int64_t s = shape.sequence, d = shape.head_width(), packed = 3 * shape.hidden;
  for (std::int64_t sample = 0; sample < samples; ++sample)
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      const Head at = head_at(sample, head, shape);
      const float *q = qkv + at.qkv, *k = q + shape.hidden, *v = k + shape.hidden;
      float* p = probability + at.probability;
      multiply(s, s, d, {q, packed}, tensor::transpose(k, packed), p, s, 0, score_scale(shape));
      for (std::int64_t row = 0; row < s; ++row) softmax_row(p + row * s, shape.causal ? row + 1 : s, s);
      multiply(s, d, s, {p, s}, {v, packed}, context + at.context, shape.hidden);
    }
}

void attention_backward(float* qkv_gradient, const float* context_gradient, const float* probability, const float* qkv,
                        float* scratch, int samples, const AttentionShape& shape) {
  const std::int64_t s = shape.sequence, d = shape.head_width(), h = shape.hidden, packed = 3 * h;
  for (std::int64_t sample = 0; sample < samples; ++sample)
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      const Head at = head_at(sample, head, shape);
      const float *q = qkv + at.qkv, *k = q + h, *v = k + h;
      const float *p = probability + at.probability, *dc = context_gradient + at.context;
      float *dq = qkv_gradient + at.qkv, *dk = dq + h, *dv = dk + h;
      multiply(s, d, s, tensor::transpose(p, s), {dc, h}, dv, packed);
      multiply(s, s, d, {dc, h}, tensor::transpose(v, packed), scratch, s);
      for (std::int64_t row = 0; row < s; ++row)
        softmax_row_backward(scratch + row * s, p + row * s, s, score_scale(shape));
      multiply(s, d, s, {scratch, s}, {k, packed}, dq, packed);
      multiply(s, d, s, tensor::transpose(scratch, s), {q, packed}, dk, packed);
    }
}

}  // namespace pipedeck::runtime::cpu
