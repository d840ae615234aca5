// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/attention.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/layers/shard.hpp"

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

/// Returns the keys that a query sees.
layers::ShardRange seen_keys(std::int64_t query, const AttentionShape& shape) {
  const auto before = [&](std::int64_t position) {  // keys of lower positions
    return std::ranges::lower_bound(shape.keys, position) - shape.keys.begin();
  };
  const std::int64_t position = shape.queries[static_cast<std::size_t>(query)];
  const std::int64_t last = shape.causal ? before(position + 1) : shape.key_rows();
  const std::int64_t first = shape.window > 0 ? before(position + 1 - shape.window) : 0;
  return {first, last - first};
}

/// Computes the softmax of a query's scores over the keys that it sees. The other probabilities are 0.
void softmax_of_query(float* row, std::int64_t query, const AttentionShape& shape) {
  const auto [first, count] = seen_keys(query, shape);
  const std::int64_t columns = shape.key_rows();
  std::fill_n(row, first, 0.0f);
  if (first < columns) softmax_row(row + first, count, columns - first);
}

/// Replaces a row's scores by e^(score - most), those of keys that are not seen by 0. Returns the sum.
float exponentials_of_query(float* row, float most, const layers::ShardRange& seen, std::int64_t columns) {
  std::fill_n(row, seen.first, 0.0f);
  std::fill_n(row + seen.first + seen.count, columns - seen.first - seen.count, 0.0f);
  return seen.count > 0 ? exponentials_of_row(row + seen.first, most, seen.count) : 0.0f;
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

void add_attention_block(HeadRows<float> context, const OnlineSoftmax& softmax, const AttentionInputs& in,
                         float* scratch, int samples, const AttentionShape& shape) {
  const std::int64_t rows = shape.query_rows(), columns = shape.key_rows();
  for_each_head(samples, shape, [&](std::int64_t sample, std::int64_t head) {
    const Head own = head_of(in, shape, sample, head);
    const HeadRows<float> result = head_of(context, sample, rows, head, shape.value_width);
    multiply(rows, columns, shape.key_width, matrix(own.queries), transposed(own.keys), scratch, columns, 0,
             score_scale(shape));
    for (std::int64_t row = 0; row < rows; ++row) {
      const layers::ShardRange seen = seen_keys(row, shape);
      float* scores = scratch + row * columns;
      const std::int64_t at = (sample * shape.heads + head) * rows + row;
      const float before = softmax.largest[at];
      if (seen.count > 0) softmax.largest[at] = std::max(before, largest_of_row(scores + seen.first, seen.count));
      const float keep = std::exp(before - softmax.largest[at]);
      softmax.sum[at] = keep * softmax.sum[at] + exponentials_of_query(scores, softmax.largest[at], seen, columns);
      float* values = result.data + row * result.stride;
      for (std::int64_t i = 0; i < shape.value_width; ++i) values[i] *= keep;
    }
    multiply(rows, shape.value_width, columns, {scratch, columns}, matrix(own.values), result.data, result.stride, 1);
  });
}

void finish_attention(HeadRows<float> context, const OnlineSoftmax& softmax, int samples, const AttentionShape& shape) {
  const std::int64_t rows = shape.query_rows();
  for_each_head(samples, shape, [&](std::int64_t sample, std::int64_t head) {
    const HeadRows<float> result = head_of(context, sample, rows, head, shape.value_width);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t at = (sample * shape.heads + head) * rows + row;
      float* values = result.data + row * result.stride;
      for (std::int64_t i = 0; i < shape.value_width; ++i) values[i] /= softmax.sum[at];
      softmax.largest[at] += std::log(softmax.sum[at]);
    }
  });
}

void context_products(float* products, HeadRows<const float> context, HeadRows<const float> gradient, int samples,
                      const AttentionShape& shape) {
  const std::int64_t rows = shape.query_rows(), width = shape.value_width;
  for_each_head(samples, shape, [&](std::int64_t sample, std::int64_t head) {
    const HeadRows<const float> left = head_of(context, sample, rows, head, width),
                                right = head_of(gradient, sample, rows, head, width);
    for (std::int64_t row = 0; row < rows; ++row)
      products[(sample * shape.heads + head) * rows + row] =
          dot_product(left.data + row * left.stride, right.data + row * right.stride, width);
  });
}

void attention_block_backward(const AttentionGradients& gradients, HeadRows<const float> context_gradient,
                              const float* log_sums, const float* products, const AttentionInputs& in, float* scratch,
                              int samples, const AttentionShape& shape) {
  const std::int64_t rows = shape.query_rows(), columns = shape.key_rows(), d = shape.key_width,
                     group = shape.heads / shape.key_value_heads;
  float *p = scratch, *ds = scratch + shape.scores();
  for_each_head(samples, shape, [&](std::int64_t sample, std::int64_t head) {
    const Head own = head_of(in, shape, sample, head);
    const HeadRows<const float> dc = head_of(context_gradient, sample, rows, head, shape.value_width);
    const HeadRows<float> dq = head_of(gradients.queries, sample, rows, head, d),
                          dk = head_of(gradients.keys, sample, columns, head / group, d),
                          dv = head_of(gradients.values, sample, columns, head / group, shape.value_width);
    const std::int64_t at = (sample * shape.heads + head) * rows;
    multiply(rows, columns, d, matrix(own.queries), transposed(own.keys), p, columns, 0, score_scale(shape));
    multiply(rows, columns, shape.value_width, matrix(dc), transposed(own.values), ds, columns);
    for (std::int64_t row = 0; row < rows; ++row) {
      exponentials_of_query(p + row * columns, log_sums[at + row], seen_keys(row, shape), columns);
      for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i)
        ds[i] = p[i] * (ds[i] - products[at + row]) * score_scale(shape);
    }
    multiply(columns, shape.value_width, rows, tensor::transpose(p, columns), matrix(dc), dv.data, dv.stride, 1);
    multiply(rows, d, columns, {ds, columns}, matrix(own.keys), dq.data, dq.stride, 1);
    multiply(columns, d, rows, tensor::transpose(ds, columns), matrix(own.queries), dk.data, dk.stride, 1);
  });
}

}  // namespace pipedeck::runtime::cpu
