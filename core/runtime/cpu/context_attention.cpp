// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/context_attention.hpp"

#include <fmt/format.h>

#include "core/runtime/layers/context_exchange.hpp"
#include "core/runtime/layers/shard.hpp"

namespace pipedeck::runtime::cpu {

ContextAttention::ContextAttention(AttentionShape shape, const layers::ContextShard& context)
    : context_(context), positions_(context.positions(context.rank)), shape_(std::move(shape)) {
  if (gathers()) shape_.queries = positions_;
  if (!exchanges_heads()) return;
  heads_ = layers::shard_columns(shape_.key_value_heads, {context.rank, context.degree, {}});
  const std::int64_t own = heads_[static_cast<std::size_t>(context.rank)].count;
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
  const int samples = in.queries.samples();
  const std::int64_t width = shape_.heads * shape_.value_width;
  tensor::Tensor contexts(in.queries.memory(), samples, shape_.query_rows() * width);
  probability = tensor::Tensor(in.queries.memory(), samples, shape_.heads * shape_.scores());
  attention({contexts.data(), width}, probability.data(), inputs(in), samples, shape_);
  return exchanges_heads() ? to_positions(contexts, shared, shape_.value_width) : std::move(contexts);
}

AttentionTensors ContextAttention::backward(tensor::Tensor context_gradient, const AttentionTensors& in,
                                            const tensor::Tensor& probability) const {
  const std::int64_t shared = shape_.heads / shape_.key_value_heads;
  if (exchanges_heads()) context_gradient = to_heads(context_gradient, shared, shape_.value_width);
  AttentionTensors out{in.queries.empty_like(), in.keys.empty_like(), in.values.empty_like()};
  tensor::Tensor scratch(in.queries.memory(), 1, shape_.scores());
  attention_backward({{out.queries.data(), shape_.heads * shape_.key_width},
                      {out.keys.data(), shape_.key_value_heads * shape_.key_width},
                      {out.values.data(), shape_.key_value_heads * shape_.value_width}},
                     {context_gradient.data(), shape_.heads * shape_.value_width}, probability.data(), inputs(in),
                     scratch.data(), in.queries.samples(), shape_);
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

AttentionInputs ContextAttention::inputs(const AttentionTensors& in) const {
  return {{in.queries.data(), shape_.heads * shape_.key_width},
          {in.keys.data(), shape_.key_value_heads * shape_.key_width},
          {in.values.data(), shape_.key_value_heads * shape_.value_width}};
}

std::vector<layers::ShardRange> ContextAttention::columns(std::int64_t shared, std::int64_t width) const {
  std::vector<layers::ShardRange> ranges = heads_;
  for (layers::ShardRange& range : ranges) range.first *= shared * width, range.count *= shared * width;
  return ranges;
}

tensor::Tensor ContextAttention::to_heads(const tensor::Tensor& mine, std::int64_t shared, std::int64_t width) const {
  return layers::positions_to_columns(mine, columns(shared, width), context_);
}

tensor::Tensor ContextAttention::to_positions(const tensor::Tensor& mine, std::int64_t shared,
                                              std::int64_t width) const {
  return layers::columns_to_positions(mine, columns(shared, width), context_);
}

Result<void> check_context_attention(const ModelLayer& layer, std::int64_t key_value_heads,
                                     const layers::ContextShard& context) {
  if (context.degree == 1 || context.kind == ContextKind::gather) return {};
  if (context.kind != ContextKind::heads)
    return fail(ErrorCode::bad_input,
                fmt::format("layer '{}' ({}): found the context kind '{}', expected 'gather' or 'heads' in a run",
                            layer.name, layer.kind, name_of(context.kind)));
  if (key_value_heads >= context.degree) return {};
  return fail(ErrorCode::bad_input,
              fmt::format("layer '{}' ({}): found {} key-value heads on a tensor-parallel rank, expected {} or more, "
                          "one for each context rank of the kind 'heads'",
                          layer.name, layer.kind, key_value_heads, context.degree));
}

}  // namespace pipedeck::runtime::cpu
