// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/attention.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/matmul.hpp"

namespace pipedeck::runtime::cpu {
namespace {

float score_scale(const AttentionShape& shape) { return 1.0f / std::sqrt(static_cast<float>(shape.key_width)); }

/// Returns head `head` of sample `sample`, which has `rows` rows.
template <class Float>
HeadRows<Float> head_of(HeadRows<Float> all, std::int64_t sample, std::int64_t rows, std::int64_t head,
                        std::int64_t width) {
  return {all.data + sample * rows * all.stride + head * width, all.stride};
}

tensor::Matrix matrix(HeadRows<const float> rows) { return {rows.data, rows.stride}; }
tensor::Matrix transposed(HeadRows<const float> rows) { return tensor::transpose(rows.data, rows.stride); }

/// The rows of one query head.
struct Head {
  HeadRows<const float> queries, keys, values;
};

Head head_of(const AttentionInputs& in, const AttentionShape& shape, std::int64_t sample, std::int64_t head) {
  const std::int64_t shared = head / (shape.heads / shape.key_value_heads);
  return {head_of(in.queries, sample, shape.query_rows(), head, shape.key_width),
          head_of(in.keys, sample, shape.key_rows(), shared, shape.key_width),
          head_of(in.values, sample, shape.key_rows(), shared, shape.value_width)};
}

/// Computes the softmax of a query's scores over the keys that it sees. The other probabilities are 0.
void softmax_of_query(float* row, std::int64_t query, const AttentionShape& shape) {
  const auto before = [&](std::int64_t position) {  // keys of lower positions
    return std::ranges::lower_bound(shape.keys, position) - shape.keys.begin();
  };
  const std::int64_t columns = shape.key_rows(), position = shape.queries[static_cast<std::size_t>(query)];
  const std::int64_t last = shape.causal ? before(position + 1) : columns;
  const std::int64_t first = shape.window > 0 ? before(position + 1 - shape.window) : 0;
  std::fill_n(row, first, 0.0f);
  if (first < columns) softmax_row(row + first, last - first, columns - first);
}

template <class Work>
void for_each_head(int samples, const AttentionShape& shape, const Work& work) {
  for (std::int64_t sample = 0; sample < samples; ++sample)
    for (std::int64_t head = 0; head < shape.heads; ++head) work(sample, head);
}

}  // namespace

std::vector<std::int64_t> all_positions(std::int64_t count) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), std::int64_t{0});
  return positions;
}

void attention(HeadRows<float> context, float* probability, const AttentionInputs& in, int samples,
               const AttentionShape& shape) {
  const std::int64_t rows = shape.query_rows(), columns = shape.key_rows();
  for_each_head(samples, shape, [&](std::int64_t sample, std::int64_t head) {
    const Head own = head_of(in, shape, sample, head);
    const HeadRows<float> result = head_of(context, sample, rows, head, shape.value_width);
    float* p = probability + (sample * shape.heads + head) * shape.scores();
    multiply(rows, columns, shape.key_width, matrix(own.queries), transposed(own.keys), p, columns, 0,
             score_scale(shape));
    for (std::int64_t row = 0; row < rows; ++row) softmax_of_query(p + row * columns, row, shape);
    multiply(rows, shape.value_width, columns, {p, columns}, matrix(own.values), result.data, result.stride);
  });
}

void attention_backward(const AttentionGradients& gradients, HeadRows<const float> context_gradient,
                        const float* probability, const AttentionInputs& in, float* scratch, int samples,
                        const AttentionShape& shape) {
  const std::int64_t rows = shape.query_rows(), columns = shape.key_rows(), d = shape.key_width,
                     group = shape.heads / shape.key_value_heads;
  for_each_head(samples, shape, [&](std::int64_t sample, std::int64_t head) {
    const Head own = head_of(in, shape, sample, head);
    const HeadRows<const float> dc = head_of(context_gradient, sample, rows, head, shape.value_width);
    const HeadRows<float> dq = head_of(gradients.queries, sample, rows, head, d),
                          dk = head_of(gradients.keys, sample, columns, head / group, d),
                          dv = head_of(gradients.values, sample, columns, head / group, shape.value_width);
    const float* p = probability + (sample * shape.heads + head) * shape.scores();
    const float keep = head % group == 0 ? 0.0f : 1.0f;  // heads that share keys and values add up
    multiply(columns, shape.value_width, rows, tensor::transpose(p, columns), matrix(dc), dv.data, dv.stride, keep);
    multiply(rows, columns, shape.value_width, matrix(dc), transposed(own.values), scratch, columns);
    for (std::int64_t row = 0; row < rows; ++row)
      softmax_row_backward(scratch + row * columns, p + row * columns, columns, score_scale(shape));
    multiply(rows, d, columns, {scratch, columns}, matrix(own.keys), dq.data, dq.stride);
    multiply(columns, d, rows, tensor::transpose(scratch, columns), matrix(own.queries), dk.data, dk.stride, keep);
  });
}

}  // namespace pipedeck::runtime::cpu
