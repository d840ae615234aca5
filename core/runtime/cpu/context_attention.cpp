// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/context_attention.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/runtime/layers/context_exchange.hpp"
#include "core/runtime/layers/shard.hpp"

namespace pipedeck::runtime::cpu {
namespace {

/// Calls work(step, keys, values) with the rank's own ones, then with those of each rank before it.
template <class Work>
void for_each_block(const AttentionTensors& in, const layers::ContextShard& context, const Work& work) {
  work(0, in.keys, in.values);
  tensor::Tensor passed_keys, passed_values;
  const tensor::Tensor *keys = &in.keys, *values = &in.values;
  for (int step = 1; step < context.degree; ++step) {
    passed_keys = layers::pass_on(*keys, context), passed_values = layers::pass_on(*values, context);
    keys = &passed_keys, values = &passed_values;
    work(step, *keys, *values);
  }
}

}  // namespace

ContextAttention::ContextAttention(AttentionShape shape, const layers::ContextShard& context)
    : context_(context),
      heads_of_(context.of_heads()),
      ring_of_(context.of_ring()),
      positions_(context.positions(context.rank)),
      shape_(std::move(shape)) {
  if (gathers()) shape_.queries = positions_;
  if (rings()) shape_.queries = context.block_positions(context.rank);
  if (!exchanges_heads()) return;
  heads_ = layers::shard_columns(shape_.key_value_heads, {heads_of_.rank, heads_of_.degree, {}});
  const std::int64_t own = heads_[static_cast<std::size_t>(heads_of_.rank)].count;
  shape_.heads = shape_.heads / shape_.key_value_heads * own, shape_.key_value_heads = own;
}

tensor::Tensor ContextAttention::forward(AttentionTensors& in, tensor::Tensor& probability) const {
  const std::int64_t shared = shape_.heads / shape_.key_value_heads;
  if (gathers()) {
    in.keys = layers::gather_context(in.keys, context_);
    in.values = layers::gather_context(in.values, context_);
  }
  if (exchanges_heads()) {
    in.queries = to_heads(in.queries, shared, shape_.key_width);
    in.keys = to_heads(in.keys, 1, shape_.key_width);
    in.values = to_heads(in.values, 1, shape_.value_width);
  }
  if (rings()) {
    tensor::Tensor contexts = ring_forward(in, probability);
    return exchanges_heads() ? to_positions(contexts, shared, shape_.value_width) : std::move(contexts);
  }
  tensor::Tensor contexts = attend(in, probability);
  return exchanges_heads() ? to_positions(contexts, shared, shape_.value_width) : std::move(contexts);
}

tensor::Tensor ContextAttention::attend(const AttentionTensors& in, tensor::Tensor& probability) const {
  const int samples = in.queries.samples();
  const std::int64_t width = shape_.heads * shape_.value_width;
  tensor::Tensor contexts(in.queries.memory(), samples, shape_.query_rows() * width);
  probability = tensor::Tensor(in.queries.memory(), samples, shape_.heads * shape_.scores());
  attention({contexts.data(), width}, probability.data(), inputs(in), samples, shape_);
  return contexts;
}

void ContextAttention::discard(tensor::Tensor& keys, tensor::Tensor& values, tensor::Tensor& probability) const {
  if (rings()) return;
  probability.release();
  if (!gathers()) return;
  keys = layers::scatter_context(keys, context_), values = layers::scatter_context(values, context_);
}

void ContextAttention::restore(tensor::Tensor& queries, tensor::Tensor& keys, tensor::Tensor& values,
                               tensor::Tensor& probability) const {
  if (gathers()) keys = layers::gather_context(keys, context_), values = layers::gather_context(values, context_);
  AttentionTensors in{std::move(queries), std::move(keys), std::move(values)};
  attend(in, probability);
  queries = std::move(in.queries), keys = std::move(in.keys), values = std::move(in.values);
}

AttentionTensors ContextAttention::backward(tensor::Tensor context_gradient, const tensor::Tensor& contexts,
                                            const AttentionTensors& in, const tensor::Tensor& probability) const {
  const std::int64_t shared = shape_.heads / shape_.key_value_heads;
  if (exchanges_heads()) context_gradient = to_heads(context_gradient, shared, shape_.value_width);
  AttentionTensors out;
  if (rings()) {
    out = exchanges_heads()
              ? ring_backward(context_gradient, to_heads(contexts, shared, shape_.value_width), in, probability)
              : ring_backward(context_gradient, contexts, in, probability);
  } else {
    out = {in.queries.empty_like(), in.keys.empty_like(), in.values.empty_like()};
    tensor::Tensor scratch(in.queries.memory(), 1, shape_.scores());
    attention_backward(gradients(out), {context_gradient.data(), shape_.heads * shape_.value_width}, probability.data(),
                       inputs(in), scratch.data(), in.queries.samples(), shape_);
  }
  if (gathers()) {
    out.keys = layers::reduce_scatter_context(out.keys, context_);
    out.values = layers::reduce_scatter_context(out.values, context_);
  }
  if (exchanges_heads()) {
    out.queries = to_positions(out.queries, shared, shape_.key_width);
    out.keys = to_positions(out.keys, 1, shape_.key_width);
    out.values = to_positions(out.values, 1, shape_.value_width);
  }
  return out;
}

AttentionShape ContextAttention::block(int step) const {
  AttentionShape shape = shape_;
  const int before = (ring_of_.rank + ring_of_.degree - step) % ring_of_.degree;
  shape.keys = context_.block_positions(before * context_.heads_ranks);
  return shape;
}

tensor::Tensor ContextAttention::ring_forward(const AttentionTensors& in, tensor::Tensor& log_sums) const {
  const auto& memory = in.queries.memory();
  const int samples = in.queries.samples();
  const std::int64_t width = shape_.heads * shape_.value_width;
  tensor::Tensor contexts = tensor::Tensor::zeros(memory, samples, shape_.query_rows() * width);
  tensor::Tensor sums = tensor::Tensor::zeros(memory, samples, shape_.heads * shape_.query_rows());
  log_sums = sums.empty_like();
  std::ranges::fill(log_sums.values(), std::numeric_limits<float>::lowest());
  tensor::Tensor scratch(memory, 1, block(0).scores());
  for_each_block(in, ring_of_, [&](int step, const tensor::Tensor& keys, const tensor::Tensor& values) {
    add_attention_block({contexts.data(), width}, {log_sums.data(), sums.data()}, inputs(in.queries, keys, values),
                        scratch.data(), samples, block(step));
  });
  finish_attention({contexts.data(), width}, {log_sums.data(), sums.data()}, samples, shape_);
  return contexts;
}

AttentionTensors ContextAttention::ring_backward(const tensor::Tensor& context_gradient, const tensor::Tensor& contexts,
                                                 const AttentionTensors& in, const tensor::Tensor& log_sums) const {
  const auto& memory = in.queries.memory();
  const int samples = in.queries.samples();
  const HeadRows<const float> gradient{context_gradient.data(), shape_.heads * shape_.value_width};
  const auto zeros = [&](const tensor::Tensor& like) { return tensor::Tensor::zeros(memory, samples, like.width()); };
  AttentionTensors out{zeros(in.queries), zeros(in.keys), zeros(in.values)};
  tensor::Tensor products = log_sums.empty_like();
  context_products(products.data(), {contexts.data(), gradient.stride}, gradient, samples, shape_);
  tensor::Tensor scratch(memory, 2, block(0).scores());
  for_each_block(in, ring_of_, [&](int step, const tensor::Tensor& keys, const tensor::Tensor& values) {
    attention_block_backward(gradients(out), gradient, log_sums.data(), products.data(),
                             inputs(in.queries, keys, values), scratch.data(), samples, block(step));
    // Gradients follow their keys and values, and are home after the last step.
    out.keys = layers::pass_on(out.keys, ring_of_), out.values = layers::pass_on(out.values, ring_of_);
  });
  return out;
}

AttentionInputs ContextAttention::inputs(const tensor::Tensor& queries, const tensor::Tensor& keys,
                                         const tensor::Tensor& values) const {
  return {{queries.data(), shape_.heads * shape_.key_width},
          {keys.data(), shape_.key_value_heads * shape_.key_width},
          {values.data(), shape_.key_value_heads * shape_.value_width}};
}

AttentionGradients ContextAttention::gradients(AttentionTensors& of) const {
  return {{of.queries.data(), shape_.heads * shape_.key_width},
          {of.keys.data(), shape_.key_value_heads * shape_.key_width},
          {of.values.data(), shape_.key_value_heads * shape_.value_width}};
}

std::vector<layers::ShardRange> ContextAttention::columns(std::int64_t shared, std::int64_t width) const {
  std::vector<layers::ShardRange> ranges = heads_;
  for (layers::ShardRange& range : ranges) range.first *= shared * width, range.count *= shared * width;
  return ranges;
}

tensor::Tensor ContextAttention::to_heads(const tensor::Tensor& mine, std::int64_t shared, std::int64_t width) const {
  return layers::positions_to_columns(mine, columns(shared, width), heads_of_);
}

tensor::Tensor ContextAttention::to_positions(const tensor::Tensor& mine, std::int64_t shared,
                                              std::int64_t width) const {
  return layers::columns_to_positions(mine, columns(shared, width), heads_of_);
}

Result<void> check_context_attention(const ModelLayer& layer, std::int64_t key_value_heads,
                                     const layers::ContextShard& context) {
  if (key_value_heads >= context.heads_ranks) return {};
  return fail(ErrorCode::bad_input,
              fmt::format("layer '{}' ({}): found {} key-value heads on a tensor-parallel rank, expected {} or more, "
                          "one for each context rank that exchanges heads",
                          layer.name, layer.kind, key_value_heads, context.heads_ranks));
}

}  // namespace pipedeck::runtime::cpu
