// SPDX-License-Identifier: Apache-2.0
// Pre-norm transformer block (GPT-2; causal or not):
//   x1 = x + attention(norm1(x) Wqkv + bqkv) Wo + bo;   y = x1 + gelu(norm2(x1) W1 + b1) W2 + b2
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/runtime/cpu/attention.hpp"
#include "core/runtime/cpu/halves.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/transformer_layout.hpp"

namespace pipedeck::runtime::cpu {
namespace {

/// Tensors saved by forward, in this order.
enum ForwardSaved : std::size_t {
  x,
  mean1,
  inverse1,
  normal1,
  qkv,
  probability,
  context,
  x1,
  mean2,
  inverse2,
  normal2,
  up,
  active,
  forward_count
};
/// Tensors left by backward_input for backward_weight: each product's input and the gradient of its result.
enum WeightSaved : std::size_t {
  w_normal1,
  w_dqkv,
  w_context,
  w_dx1,
  w_normal2,
  w_dup,
  w_active,
  w_dy,
  w_norms,
  weight_count
};
/// The products of a block, in the order of their adapters.
enum Product : std::size_t { into_heads, out_of_heads, into_feed_forward, out_of_feed_forward };

/// A rank's shard of a block in a tensor-parallel group: some heads and some of the feed-forward's columns. Products
/// into them are sharded by columns, products out of them by rows. The outputs of the latter are summed, and the input
/// gradients of the former (Megatron-LM, arXiv 1909.08053, section 3), or reduce-scattered (own_tokens.hpp). Norms, and
/// biases after a sum, are replicated.
struct TransformerPart {
  layers::ShardRange heads, feed_forward;
  layers::TensorParallelGroup partners;
};

struct TransformerSizes {
  std::int64_t hidden, heads, head_width, feed_forward, sequence;
  bool causal;
  layers::AdapterChoice adapters;
  std::int64_t context() const { return heads * head_width; }
  layers::TransformerLayout layout() const { return {hidden, context(), feed_forward}; }
  /// Queries, keys and values are a matrix each.
  std::vector<layers::AdaptedProduct> products() const {
    const std::int64_t h = hidden, c = context(), f = feed_forward;
    const layers::TransformerLayout at = layout();
    std::vector<layers::ShardRange> heads{{0, c}, {c, c}, {2 * c, c}}, out, up, down;
    if (adapters.targets == AdapterTargets::query_value)
      heads.erase(heads.begin() + 1);
    else
      out = {{0, h}};
    if (adapters.targets == AdapterTargets::linear) up = {{0, f}}, down = {{0, h}};
    return {{at.qkv, h, 3 * c, heads, layers::ProductCut::columns},
            {at.out, c, h, out, layers::ProductCut::rows},
            {at.up, h, f, up, layers::ProductCut::columns},
            {at.down, f, h, down, layers::ProductCut::rows}};
  }
};

class Transformer final : public AdaptedKernel {
 public:
  explicit Transformer(const TransformerSizes& sizes, std::optional<layers::TensorParallelGroup> partners = {})
      : Transformer(sizes, layers::OwnTokens(sizes.sequence, std::move(partners))) {}

  Transformer(const TransformerSizes& sizes, layers::OwnTokens tokens)
      : AdaptedKernel(sizes.hidden, sizes.layout().end, {sizes.adapters, sizes.products()}, std::move(tokens)),
        shape_{.heads = sizes.heads,
               .key_value_heads = sizes.heads,
               .key_width = sizes.head_width,
               .value_width = sizes.head_width,
               .queries = all_positions(sizes.sequence),
               .keys = all_positions(sizes.sequence),
               .causal = sizes.causal},
        h_(sizes.hidden),
        c_(sizes.context()),
        f_(sizes.feed_forward),
        at_(h_, c_, f_),
        products_(sizes.products()) {}

  Transformer(const TransformerSizes& sizes, const TransformerPart& part)
      : Transformer(own(sizes, part), part.partners) {
    auto all = std::make_unique<Transformer>(sizes);
    std::vector<layers::ParameterBlock> blocks = all->blocks_of(part);
    const std::int64_t width = sizes.head_width;
    const layers::AdapterRange heads{{0, 1}, {part.heads.first * width, part.heads.count * width}},
        columns{{0, 1}, part.feed_forward};
    set_whole(std::move(all), std::move(blocks), {heads, heads, columns, columns});
  }

  std::size_t forward_tensors() const override { return forward_count; }
  std::size_t backward_tensors() const override { return weight_count + narrow_tensors(); }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    saved.tensors.resize(forward_count);
    auto& s = saved.tensors;
    s[x] = std::move(input);
    const HalfWeights p = weights_of(parameters, saved);
    attend(p, s);
    return feed_forward(p, s);
  }

  void discard(layers::SavedTensors& saved, const layers::RecomputedParts& parts) const override {
    auto& s = saved.tensors;
    if (parts.contains(layers::RecomputedPart::core_attention)) s[probability].release();
    if (!parts.contains(layers::RecomputedPart::feed_forward)) return;
    for (const std::size_t of_feed_forward : {mean2, inverse2, normal2, up, active}) s[of_feed_forward].release();
  }

  void restore(layers::SavedTensors& saved, std::span<const float> parameters,
               const layers::RecomputedParts&) const override {
    auto& s = saved.tensors;
    if (s[probability].empty()) {
      tensor::Tensor contexts = s[context].empty_like();
      s[probability] = of_heads(s, shape_.heads * shape_.key_rows());
      attention({contexts.data(), c_}, s[probability].data(), inputs(s), s[x].samples(), shape_);
    }
    if (s[up].empty()) feed_forward(weights_of(parameters, saved), s);
  }

  tensor::Tensor backward_input(tensor::Tensor dy, std::span<const float> parameters, layers::SavedTensors& saved,
                                bool wanted) const override {
    const HalfWeights p = weights_of(parameters, saved);
    NarrowRows narrow = no_narrow_rows();
    auto& s = saved.tensors;
    tensor::Tensor norms = tensor::Tensor::zeros(dy.memory(), 1, 4 * h_);  // gain1, shift1, gain2, shift2
    tensor::Tensor dup, dqkv;
    const tensor::Tensor own_dy = gather_gradient(dy);
    tensor::Tensor dx1 = feed_forward_backward(p, s, dy, own_dy.empty() ? dy : own_dy, norms, dup, narrow);
    const tensor::Tensor own_dx1 = gather_gradient(dx1);
    tensor::Tensor dx = attend_backward(p, s, dx1, own_dx1.empty() ? dx1 : own_dx1, norms, dqkv, narrow, wanted);
    if (!adapted()) tokens().sum_own_gradients(norms.values());
    std::array<tensor::Tensor, weight_count> left{std::move(s[normal1]), std::move(dqkv),       std::move(s[context]),
                                                  std::move(dx1),        std::move(s[normal2]), std::move(dup),
                                                  std::move(s[active]),  std::move(dy),         std::move(norms)};
    s.assign(std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
    leave_narrow_rows(s, std::move(narrow));
    return dx;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    float* g = gradients.data();
    if (adapted()) {
      add_gradients(g, out_of_feed_forward, s[w_active], s[w_dy], s, weight_count);
      add_gradients(g, into_feed_forward, *all_tokens(s[w_normal2]), s[w_dup], s, weight_count);
      add_gradients(g, out_of_heads, s[w_context], s[w_dx1], s, weight_count);
      add_gradients(g, into_heads, *all_tokens(s[w_normal1]), s[w_dqkv], s, weight_count);
      return saved.tensors.clear();
    }
    add_weight_gradient(g + at_.down, s[w_active], f_, s[w_dy], h_);
    add_column_sums(g + at_.down_bias, s[w_dy].data(), rows(s[w_dy]), h_);
    add_weight_gradient(g + at_.up, *all_tokens(s[w_normal2]), h_, s[w_dup], f_);
    add_column_sums(g + at_.up_bias, s[w_dup].data(), rows(s[w_dup]), f_);
    add_weight_gradient(g + at_.out, s[w_context], c_, s[w_dx1], h_);
    add_column_sums(g + at_.out_bias, s[w_dx1].data(), rows(s[w_dx1]), h_);
    add_weight_gradient(g + at_.qkv, *all_tokens(s[w_normal1]), h_, s[w_dqkv], 3 * c_);
    add_qkv_bias(g + at_.qkv_bias, s[w_dqkv]);
    add(g + at_.gain1, s[w_norms].data(), 2 * h_);
    add(g + at_.gain2, s[w_norms].data() + 2 * h_, 2 * h_);
    saved.tensors.clear();
  }

 private:
  void draw(std::span<float> parameters, Random random) const override {
    std::fill(parameters.begin(), parameters.end(), 0.0f);
    for (const auto& [first, count] :
         {std::pair{at_.qkv, 3 * h_ * h_}, {at_.out, h_ * h_}, {at_.up, h_ * f_}, {at_.down, f_ * h_}})
      for (std::int64_t i = first; i < first + count; ++i)
        parameters[static_cast<std::size_t>(i)] = 0.02f * random.normal();
    std::fill_n(parameters.data() + at_.gain1, h_, 1.0f);
    std::fill_n(parameters.data() + at_.gain2, h_, 1.0f);
  }

  static TransformerSizes own(TransformerSizes sizes, const TransformerPart& part) {
    sizes.heads = part.heads.count, sizes.feed_forward = part.feed_forward.count;
    return sizes;
  }

  /// Returns the blocks of a rank's part of this whole block, in the order of at_. The queries, keys and values of a
  /// row of weights are a model's width apart, and so are those of the next row.
  std::vector<layers::ParameterBlock> blocks_of(const TransformerPart& part) const {
    const layers::TransformerLayout& all = at_;
    const std::int64_t f = f_, width = shape_.key_width;
    const layers::ShardRange heads{part.heads.first * width, part.heads.count * width}, up = part.feed_forward;
    return {{all.gain1, 1, 2 * h_, 2 * h_},
            {all.qkv + heads.first, 3 * h_, heads.count, h_},
            {all.qkv_bias + heads.first, 3, heads.count, h_},
            {all.out + heads.first * h_, 1, heads.count * h_, heads.count * h_},
            {all.out_bias, 1, 3 * h_, 3 * h_},  // and the second norm's
            {all.up + up.first, h_, up.count, f},
            {all.up_bias + up.first, 1, up.count, up.count},
            {all.down + up.first * h_, 1, up.count * h_, up.count * h_},
            {all.down_bias, 1, h_, h_}};
  }

  std::int64_t rows(const tensor::Tensor& tensor) const { return tensor.samples() * shape_.query_rows(); }
  std::int64_t own_rows(const tensor::Tensor& tensor) const { return tensor.size() / h_; }
  tensor::Tensor wide(const tensor::Tensor& like, std::int64_t width) const { return rows_like(like, h_, width); }
  tensor::Tensor of_heads(const std::vector<tensor::Tensor>& s, std::int64_t width) const {
    return rows_like(s[qkv], 3 * c_, width);
  }

  /// Returns in * weight + bias of a product, with its adapter. Products by rows are summed over the ranks, and leave
  /// the rank's tokens.
  tensor::Tensor linear(const tensor::Tensor& in, const HalfWeights& p, Product number, std::int64_t bias) const {
    const layers::AdaptedProduct& product = products_[number];
    tensor::Tensor out = project_adapted(in, p, product, number);
    if (product.cut == layers::ProductCut::rows) sum_tokens(out);
    add_bias(out.data(), p + bias, out.size() / product.to, product.to);
    return out;
  }

  /// Returns the gradient of linear's input, from its output's. That of products by columns is summed over the ranks,
  /// and is of the rank's tokens. `in`: the product's input, of which products by columns have the rank's tokens.
  tensor::Tensor linear_backward(const tensor::Tensor& gradient, const tensor::Tensor& in, const HalfWeights& p,
                                 Product number, NarrowRows& narrow) const {
    const layers::AdaptedProduct& product = products_[number];
    const bool by_columns = product.cut == layers::ProductCut::columns;
    tensor::Tensor out = project_backward(gradient, product.from, product.to, p + product.weight);
    add_adapter_backward(out, gradient, p, number, narrow);
    keep_narrow_rows(in, p, number, narrow, by_columns);
    if (by_columns) sum_tokens(out);
    return out;
  }

  AttentionInputs inputs(const std::vector<tensor::Tensor>& s) const {
    const float* q = s[qkv].data();
    return {{q, 3 * c_}, {q + c_, 3 * c_}, {q + 2 * c_, 3 * c_}};
  }

  /// A softmax does not change when one amount is added to all its scores. A key's bias does exactly that for every
  /// query: its gradient is exactly zero. Summed, it would be rounding noise, which Adam divides by its own size.
  void add_qkv_bias(float* to, const tensor::Tensor& gradient) const {
    tensor::Tensor sums = tensor::Tensor::zeros(gradient.memory(), 1, 3 * c_);
    add_column_sums(sums.data(), gradient.data(), rows(gradient), 3 * c_);
    add(to, sums.data(), c_);
    add(to + 2 * c_, sums.data() + 2 * c_, c_);
  }

  void normalise(const tensor::Tensor& in, const float* gain, const float* shift, tensor::Tensor& mean,
                 tensor::Tensor& inverse, tensor::Tensor& out) const {
    mean = wide(in, 1), inverse = wide(in, 1), out = in.empty_like();
    layer_norm(out.data(), mean.data(), inverse.data(), in.data(), gain, shift, own_rows(in), h_);
  }

  void attend(const HalfWeights& p, std::vector<tensor::Tensor>& s) const {
    normalise(s[x], p + at_.gain1, p + at_.shift1, s[mean1], s[inverse1], s[normal1]);
    s[qkv] = linear(*all_tokens(s[normal1]), p, into_heads, at_.qkv_bias);
    s[context] = of_heads(s, c_);
    s[probability] = of_heads(s, shape_.heads * shape_.key_rows());
    attention({s[context].data(), c_}, s[probability].data(), inputs(s), s[x].samples(), shape_);
    s[x1] = linear(s[context], p, out_of_heads, at_.out_bias);
    add(s[x1].data(), s[x].data(), s[x1].size());
  }

  tensor::Tensor feed_forward(const HalfWeights& p, std::vector<tensor::Tensor>& s) const {
    normalise(s[x1], p + at_.gain2, p + at_.shift2, s[mean2], s[inverse2], s[normal2]);
    s[up] = linear(*all_tokens(s[normal2]), p, into_feed_forward, at_.up_bias);
    s[active] = s[up].empty_like();
    gelu(s[active].data(), s[up].data(), s[up].size());
    tensor::Tensor y = linear(s[active], p, out_of_feed_forward, at_.down_bias);
    add(y.data(), s[x1].data(), y.size());
    return y;
  }

  /// Returns the gradient of x1, of the rank's tokens as `own`; `dy` is of all. `dup` becomes that of the activation's
  /// input.
  tensor::Tensor feed_forward_backward(const HalfWeights& p, std::vector<tensor::Tensor>& s, const tensor::Tensor& dy,
                                       const tensor::Tensor& own, tensor::Tensor& norms, tensor::Tensor& dup,
                                       NarrowRows& narrow) const {
    dup = linear_backward(dy, s[active], p, out_of_feed_forward, narrow);
    gelu_backward(dup.data(), s[up].data(), dup.size());
    s[up].release();
    const tensor::Tensor dnormal = linear_backward(dup, s[normal2], p, into_feed_forward, narrow);
    tensor::Tensor dx1 = own.slice(0, own.samples(), own.memory());
    layer_norm_backward(dx1.data(), norms.data() + 2 * h_, norms.data() + 3 * h_, dnormal.data(), s[x1].data(),
                        s[mean2].data(), s[inverse2].data(), p + at_.gain2, own_rows(own), h_);
    s[x1].release();
    return dx1;
  }

  tensor::Tensor attend_backward(const HalfWeights& p, std::vector<tensor::Tensor>& s, const tensor::Tensor& dx1,
                                 const tensor::Tensor& own, tensor::Tensor& norms, tensor::Tensor& dqkv,
                                 NarrowRows& narrow, bool wanted) const {
    dqkv = wide(dx1, 3 * c_);
    {
      const tensor::Tensor dcontext = linear_backward(dx1, s[context], p, out_of_heads, narrow);
      tensor::Tensor scratch(dx1.memory(), 1, shape_.scores());
      float* dq = dqkv.data();
      attention_backward({{dq, 3 * c_}, {dq + c_, 3 * c_}, {dq + 2 * c_, 3 * c_}}, {dcontext.data(), c_},
                         s[probability].data(), inputs(s), scratch.data(), dx1.samples(), shape_);
    }
    s[probability].release(), s[qkv].release();
    const tensor::Tensor dnormal = linear_backward(dqkv, s[normal1], p, into_heads, narrow);
    tensor::Tensor dx;
    if (wanted) dx = own.slice(0, own.samples(), own.memory());
    layer_norm_backward(dx.data(), norms.data(), norms.data() + h_, dnormal.data(), s[x].data(), s[mean1].data(),
                        s[inverse1].data(), p + at_.gain1, own_rows(own), h_);
    return dx;
  }

  AttentionShape shape_;    ///< of the local heads
  std::int64_t h_, c_, f_;  ///< the model's width, and those of the local heads and feed-forward
  layers::TransformerLayout at_;
  std::vector<layers::AdaptedProduct> products_;
};

Result<TransformerSizes> size_of_transformer(const ModelLayer& layer) {
  const auto hidden = layers::size_of(layer, "hidden"), heads = layers::size_of(layer, "heads"),
             feed_forward = layers::size_of(layer, "feed_forward"), sequence = layers::size_of(layer, "sequence"),
             causal = layers::size_of(layer, "causal", 0);
  for (const auto* size : {&hidden, &heads, &feed_forward, &sequence, &causal})
    if (!*size) return tl::unexpected(size->error());
  if (*hidden % *heads != 0)
    return fail(ErrorCode::bad_input, fmt::format("layer '{}': hidden {} can't be cut into {} heads of one width",
                                                  layer.name, *hidden, *heads));
  if (*causal > 1)
    return fail(ErrorCode::bad_input, fmt::format("layer '{}': causal is {}, expected 0 or 1", layer.name, *causal));
  return TransformerSizes{*hidden,   *heads,       *hidden / *heads,          *feed_forward,
                          *sequence, *causal == 1, layers::adapters_of(layer)};
}

}  // namespace

Result<std::unique_ptr<layers::LayerKernel>> make_transformer(const ModelLayer& layer) {
  TRY(const auto size, size_of_transformer(layer));
  return std::make_unique<Transformer>(size);
}

Result<std::unique_ptr<layers::LayerKernel>> make_sharded_transformer(const ModelLayer& layer,
                                                                      const layers::LayerSharding& sharding) {
  TRY(const auto size, size_of_transformer(layer));
  const layers::TensorParallelGroup& partners = sharding.partners;
  TRY_VOID(layers::check_shardable(layer, size.heads, "heads", partners.shard()).and_then([&] {
    return layers::check_shardable(layer, size.feed_forward, "feed-forward columns", partners.shard());
  }));
  const TransformerPart part{partners.local_range(size.heads), partners.local_range(size.feed_forward), partners};
  return std::make_unique<Transformer>(size, part);
}

}  // namespace pipedeck::runtime::cpu
