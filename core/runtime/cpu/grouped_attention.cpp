// SPDX-License-Identifier: Apache-2.0
// x + attention(rms(x) Wq, rms(x) Wk, rms(x) Wv) Wo: causal, with rotary positions and query heads that share keys and
// values (Llama 2, arXiv 2307.09288). Optional: a window (Mistral), biases (Qwen2), norms of the heads (Qwen3).
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/cpu/context_attention.hpp"
#include "core/runtime/cpu/halves.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/rms.hpp"
#include "core/runtime/cpu/rotary.hpp"
#include "core/runtime/layers/decoder_layout.hpp"
#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::cpu {
namespace {

struct GroupedSizes {
  std::int64_t hidden, heads, key_value_heads, head_width, sequence, window;
  layers::RotaryAngles angles;
  float epsilon;
  bool bias, norm_heads;
  std::int64_t query_width() const { return heads * head_width; }
  std::int64_t key_width() const { return key_value_heads * head_width; }
  layers::AdapterChoice adapters;
  layers::AttentionLayout layout() const { return {hidden, query_width(), key_width(), head_width, bias, norm_heads}; }
  /// Returns the products into queries, keys and values, and the one out.
  std::vector<layers::AdaptedProduct> products() const {
    return layers::attention_products(layout(), hidden, query_width(), key_width(), adapters.targets);
  }
  /// Returns the sizes of a rank with these key-value heads and the query heads that share them.
  GroupedSizes of(const layers::ShardRange& groups) const {
    GroupedSizes own = *this;
    own.heads = groups.count * (heads / key_value_heads), own.key_value_heads = groups.count;
    return own;
  }
};

class GroupedAttention final : public NormedHalf {
 public:
  /// `sizes.sequence` is the number of the context rank's positions.
  GroupedAttention(const GroupedSizes& sizes, const layers::ContextShard& context,
                   std::optional<layers::TensorParallelGroup> partners = {})
      : NormedHalf(sizes.sequence, sizes.hidden, sizes.epsilon, sizes.layout().end, {sizes.adapters, sizes.products()},
                   std::move(partners)),
        sizes_(sizes),
        products_(sizes.products()),
        attention_({.heads = sizes.heads,
                    .key_value_heads = sizes.key_value_heads,
                    .key_width = sizes.head_width,
                    .value_width = sizes.head_width,
                    .queries = all_positions(context.sequence),
                    .keys = all_positions(context.sequence),
                    .causal = true,
                    .window = sizes.window},
                   context),
        at_(sizes.layout()),
        head_norm_(sizes.head_width, sizes.epsilon),
        angles_(attention_.positions(), sizes.head_width, sizes.angles) {}

  GroupedAttention(const GroupedSizes& whole, const layers::ContextShard& context, const layers::ShardRange& groups,
                   const layers::TensorParallelGroup& partners)
      : GroupedAttention(whole.of(groups), context, partners) {
    auto all = std::make_unique<GroupedAttention>(whole, context);
    std::vector<layers::ParameterBlock> blocks = all->blocks_of(groups);
    const std::int64_t d = whole.head_width, shared = whole.heads / whole.key_value_heads;
    const layers::AdapterRange keys{{0, 1}, {groups.first * d, groups.count * d}},
        queries{{0, 1}, {groups.first * shared * d, groups.count * shared * d}};
    set_whole(std::move(all), std::move(blocks), {queries, keys, keys, queries});
  }

  std::size_t forward_tensors() const override { return sizes_.norm_heads ? forward_count : raw_query; }
  std::size_t backward_tensors() const override { return backward_count + narrow_tensors(); }

  void discard(layers::SavedTensors& saved, const layers::RecomputedParts& parts) const override {
    auto& s = saved.tensors;
    if (parts.contains(layers::RecomputedPart::core_attention)) attention_.discard(s[key], s[value], s[probability]);
  }

  tensor::Tensor backward_input(tensor::Tensor dy, std::span<const float> parameters, layers::SavedTensors& saved,
                                bool wanted) const override {
    const HalfWeights p = weights_of(parameters, saved);
    NarrowRows narrow = no_narrow_rows();
    auto& s = saved.tensors;
    const tensor::Tensor own = gather_gradient(dy);
    auto [dq, dk, dv] = attend_backward(p, s, dy, narrow);
    angles_.rotate_back(dq.data(), heads_of(dq, sizes_.query_width()));
    angles_.rotate_back(dk.data(), heads_of(dk, sizes_.key_width()));
    tensor::Tensor gains = tensor::Tensor::zeros(dy.memory(), 1, sizes_.hidden);
    tensor::Tensor head_gains = norm_heads_backward(p, s, dq, dk);
    tensor::Tensor dnormal = project_backward(dq, sizes_.hidden, sizes_.query_width(), p + at_.query);
    add_project_backward(dnormal, dk, sizes_.hidden, sizes_.key_width(), p + at_.key);
    add_project_backward(dnormal, dv, sizes_.hidden, sizes_.key_width(), p + at_.value);
    for (const auto& [number, gradient] : {std::pair(to_queries, &dq), {to_keys, &dk}, {to_values, &dv}}) {
      add_adapter_backward(dnormal, *gradient, p, number, narrow);
      keep_narrow_rows(s[normal], p, number, narrow, true);
    }
    sum_tokens(dnormal);
    tensor::Tensor dx = input_gradient(own.empty() ? dy : own, dnormal, p, s, gains, wanted);
    leave<backward_count>(s, {std::move(s[normal]), std::move(dq), std::move(dk), std::move(dv), std::move(s[context]),
                              std::move(dy), std::move(gains), std::move(head_gains)});
    leave_narrow_rows(s, std::move(narrow));
    return dx;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    float* g = gradients.data();
    if (adapted()) {
      const AllTokens all = all_tokens(s[w_normal]);
      add_gradients(g, to_queries, *all, s[w_dq], s, backward_count);
      add_gradients(g, to_keys, *all, s[w_dk], s, backward_count);
      add_gradients(g, to_values, *all, s[w_dv], s, backward_count);
      add_gradients(g, out, s[w_context], s[w_dy], s, backward_count);
      return saved.tensors.clear();
    }
    add_weight_gradient(g + at_.out, s[w_context], sizes_.query_width(), s[w_dy], sizes_.hidden);
    const AllTokens in = all_tokens(s[w_normal]);
    add_head_gradients(g, at_.query, at_.query_bias, *in, s[w_dq], sizes_.query_width());
    add_head_gradients(g, at_.key, at_.key_bias, *in, s[w_dk], sizes_.key_width());
    add_head_gradients(g, at_.value, at_.value_bias, *in, s[w_dv], sizes_.key_width());
    add_gain_gradient(g, s[w_gains]);
    if (sizes_.norm_heads) add(g + at_.query_gain, s[w_head_gains].data(), 2 * sizes_.head_width);
    saved.tensors.clear();
  }

 private:
  void draw(std::span<float> parameters, Random random) const override {
    std::ranges::fill(parameters, 0.0f);
    const auto fill = [&](std::int64_t first, std::int64_t last, const auto& value) {
      std::generate(parameters.begin() + first, parameters.begin() + last, value);
    };
    const auto normal = [&] { return 0.02f * random.normal(); };
    const auto one = [] { return 1.0f; };
    fill(at_.gain, at_.query, one);
    fill(at_.query, at_.query_bias, normal);
    fill(at_.query_gain, at_.out, one);
    fill(at_.out, at_.end, normal);
  }

  tensor::Tensor compute(const HalfWeights& p, const tensor::Tensor& in,
                         std::vector<tensor::Tensor>& s) const override {
    s[query] = head_product(in, p, to_queries, at_.query_bias);
    s[key] = head_product(in, p, to_keys, at_.key_bias);
    s[value] = head_product(in, p, to_values, at_.value_bias);
    if (sizes_.norm_heads) {
      s[raw_query] = std::move(s[query]), s[raw_key] = std::move(s[key]);
      s[query] = head_norm_.forward(s[raw_query], p + at_.query_gain, s[query_inverse]);
      s[key] = head_norm_.forward(s[raw_key], p + at_.key_gain, s[key_inverse]);
    }
    angles_.rotate(s[query].data(), heads_of(s[query], sizes_.query_width()));
    angles_.rotate(s[key].data(), heads_of(s[key], sizes_.key_width()));
    AttentionTensors heads{std::move(s[query]), std::move(s[key]), std::move(s[value])};
    s[context] = attention_.forward(heads, s[probability]);
    s[query] = std::move(heads.queries), s[key] = std::move(heads.keys), s[value] = std::move(heads.values);
    tensor::Tensor output = project_adapted(s[context], p, products_[out], out);
    return output;
  }

  void restore_parts(const HalfWeights&, std::vector<tensor::Tensor>& s,
                     const layers::RecomputedParts&) const override {
    if (s[probability].empty()) attention_.restore(s[query], s[key], s[value], s[probability]);
  }

  enum Product : std::size_t { to_queries, to_keys, to_values, out };
  /// Tensors saved by forward, in this order; the last four with a norm of the heads.
  enum ForwardSaved : std::size_t {
    query = first_own,
    key,
    value,
    probability,
    context,
    raw_query,
    raw_key,
    query_inverse,
    key_inverse,
    forward_count
  };
  /// Tensors left by backward_input: each product's input and the gradient of its result, and those of the gains.
  enum WeightSaved : std::size_t { w_normal, w_dq, w_dk, w_dv, w_context, w_dy, w_gains, w_head_gains, backward_count };

  /// Returns the blocks of a rank with these key-value heads, in the order of at_.
  std::vector<layers::ParameterBlock> blocks_of(const layers::ShardRange& groups) const {
    const std::int64_t h = sizes_.hidden, d = sizes_.head_width, q = sizes_.query_width(), k = sizes_.key_width(),
                       shared = sizes_.heads / sizes_.key_value_heads;
    const layers::ShardRange keys{groups.first * d, groups.count * d},
        queries{groups.first * shared * d, groups.count * shared * d};
    std::vector<layers::ParameterBlock> blocks{{at_.gain, 1, h, h},
                                               {at_.query + queries.first, h, queries.count, q},
                                               {at_.key + keys.first, h, keys.count, k},
                                               {at_.value + keys.first, h, keys.count, k}};
    if (sizes_.bias) {
      blocks.push_back({at_.query_bias + queries.first, 1, queries.count, q});
      blocks.push_back({at_.key_bias + keys.first, 2, keys.count, k});  // and the values'
    }
    if (sizes_.norm_heads) blocks.push_back({at_.query_gain, 1, 2 * d, 2 * d});
    blocks.push_back({at_.out + queries.first * h, 1, queries.count * h, queries.count * h});
    return blocks;
  }

  /// Returns the rows of all heads of a tensor with rows of `width` values.
  RotatedHeads heads_of(const tensor::Tensor& tensor, std::int64_t width) const {
    return {tensor.size() / width, width, width / sizes_.head_width, sizes_.head_width};
  }

  tensor::Tensor head_product(const tensor::Tensor& in, const HalfWeights& p, Product number, std::int64_t bias) const {
    const std::int64_t width = products_[number].to;
    tensor::Tensor heads = project_adapted(in, p, products_[number], number);
    if (sizes_.bias) add_bias(heads.data(), p + bias, heads.size() / width, width);
    return heads;
  }

  void add_head_gradients(float* g, std::int64_t weight, std::int64_t bias, const tensor::Tensor& in,
                          const tensor::Tensor& gradient, std::int64_t width) const {
    add_weight_gradient(g + weight, in, sizes_.hidden, gradient, width);
    if (sizes_.bias) add_column_sums(g + bias, gradient.data(), gradient.size() / width, width);
  }

  /// Returns the gradients of rotated queries and keys, and of values.
  AttentionTensors attend_backward(const HalfWeights& p, std::vector<tensor::Tensor>& s, const tensor::Tensor& dy,
                                   NarrowRows& narrow) const {
    const AttentionTensors in{std::move(s[query]), std::move(s[key]), std::move(s[value])};
    tensor::Tensor dcontext = project_backward(dy, sizes_.query_width(), sizes_.hidden, p + at_.out);
    add_adapter_backward(dcontext, dy, p, out, narrow);
    keep_narrow_rows(s[context], p, out, narrow);
    return attention_.backward(std::move(dcontext), s[context], in, std::exchange(s[probability], {}));
  }

  /// Replaces the gradients of normed queries and keys by those of the norms' inputs. Returns the gains' gradients,
  /// summed over the ranks; empty without norms.
  tensor::Tensor norm_heads_backward(const HalfWeights& p, std::vector<tensor::Tensor>& s, tensor::Tensor& dq,
                                     tensor::Tensor& dk) const {
    if (!sizes_.norm_heads) return {};
    tensor::Tensor gains = tensor::Tensor::zeros(dq.memory(), 1, 2 * sizes_.head_width);
    tensor::Tensor raw_dq = tensor::Tensor::zeros(dq.memory(), dq.samples(), dq.width()),
                   raw_dk = tensor::Tensor::zeros(dk.memory(), dk.samples(), dk.width());
    head_norm_.backward(raw_dq, gains.data(), dq, s[raw_query], s[query_inverse], p + at_.query_gain);
    head_norm_.backward(raw_dk, gains.data() + sizes_.head_width, dk, s[raw_key], s[key_inverse], p + at_.key_gain);
    dq = std::move(raw_dq), dk = std::move(raw_dk);
    if (adapted()) return {};
    sum_up(gains);
    return gains;
  }

  GroupedSizes sizes_;
  std::vector<layers::AdaptedProduct> products_;
  ContextAttention attention_;  ///< of the local heads
  layers::AttentionLayout at_;
  Rms head_norm_;
  RotaryTable angles_;
};

Result<GroupedSizes> grouped_sizes(const ModelLayer& layer) {
  layers::SizeReader size(layer);
  GroupedSizes sizes{.hidden = size("hidden"),
                     .heads = size("heads"),
                     .key_value_heads = size("key_value_heads"),
                     .head_width = size("head_width"),
                     .sequence = size("sequence"),
                     .window = size("window"),
                     .angles = {.base = static_cast<double>(size("rotary_base")),
                                .factor = static_cast<double>(size("rotary_factor_permille")) / 1000,
                                .low = static_cast<double>(size("rotary_low_permille")) / 1000,
                                .high = static_cast<double>(size("rotary_high_permille")) / 1000,
                                .original = static_cast<double>(size("rotary_original"))},
                     .epsilon = epsilon_of(size("epsilon_billionths")),
                     .bias = size("bias_qkv") == 1,
                     .norm_heads = size("norm_heads") == 1,
                     .adapters = layers::adapters_of(layer)};
  size.check_heads();
  TRY_VOID(size.result());
  sizes.key_value_heads = key_value_heads(layer), sizes.head_width = head_width(layer);
  size.bounded("weights of a product", {sizes.hidden, sizes.heads, sizes.head_width});
  size.bounded("scores of a head", {sizes.sequence, sizes.sequence});
  TRY_VOID(size.result());
  return sizes;
}

}  // namespace

Result<std::unique_ptr<layers::BlockHalf>> make_attention_half(const ModelLayer& layer,
                                                               const layers::LayerSharding* sharding,
                                                               const layers::ContextShard* context) {
  TRY(const GroupedSizes sizes, grouped_sizes(layer));
  layers::ContextShard seat;
  seat.sequence = sizes.sequence;
  if (context) seat = *context;
  if (!sharding) {
    TRY_VOID(check_context_attention(layer, sizes.key_value_heads, seat));
    return std::make_unique<GroupedAttention>(sizes, seat);
  }
  const layers::TensorParallelGroup& partners = sharding->partners;
  TRY_VOID(layers::check_shardable(layer, sizes.key_value_heads, "key-value heads", partners.shard()));
  for (const layers::ShardRange& groups : layers::shard_columns(sizes.key_value_heads, partners.shard()))
    TRY_VOID(check_context_attention(layer, groups.count, seat));
  return std::make_unique<GroupedAttention>(sizes, seat, partners.local_range(sizes.key_value_heads), partners);
}

}  // namespace pipedeck::runtime::cpu
