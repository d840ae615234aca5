// SPDX-License-Identifier: Apache-2.0
// Pre-norm transformer block (GPT-2; causal or not):
//   x1 = x + attention(norm1(x) Wqkv + bqkv) Wo + bo;   y = x1 + gelu(norm2(x1) W1 + b1) W2 + b2
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/runtime/cpu/attention.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/row_products.hpp"
#include "core/runtime/layers/own_tokens.hpp"
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
enum WeightSaved : std::size_t { w_normal1, w_dqkv, w_context, w_dx1, w_normal2, w_dup, w_active, w_dy, w_norms };

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
  std::int64_t context() const { return heads * head_width; }
};

class Transformer final : public layers::LayerKernel {
 public:
  explicit Transformer(const TransformerSizes& sizes, std::optional<layers::TensorParallelGroup> partners = {})
      : Transformer(sizes, layers::OwnTokens(sizes.sequence, std::move(partners))) {}

  Transformer(const TransformerSizes& sizes, layers::OwnTokens tokens)
      : layers::LayerKernel(tokens.positions() * sizes.hidden, tokens.positions() * sizes.hidden,
                            layers::TransformerLayout(sizes.hidden, sizes.context(), sizes.feed_forward).end),
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
        tokens_(std::move(tokens)) {}

  Transformer(TransformerSizes sizes, const TransformerPart& part) : Transformer(own(sizes, part), part.partners) {
    whole_ = std::make_unique<Transformer>(sizes);
    blocks_ = blocks_of(part);
  }

  std::int64_t replicated_parameters() const override { return whole_ ? whole_->parameters() : parameters(); }
  std::vector<layers::ParameterBlock> blocks() const override {
    return whole_ ? blocks_ : layers::LayerKernel::blocks();
  }

  void initialise(std::span<float> parameters, Random random) const override {
    if (whole_) return layers::initialise_part(*whole_, blocks_, parameters, random);
    std::fill(parameters.begin(), parameters.end(), 0.0f);
    for (const auto& [first, count] :
         {std::pair{at_.qkv, 3 * h_ * h_}, {at_.out, h_ * h_}, {at_.up, h_ * f_}, {at_.down, f_ * h_}})
      for (std::int64_t i = first; i < first + count; ++i)
        parameters[static_cast<std::size_t>(i)] = 0.02f * random.normal();
    std::fill_n(parameters.data() + at_.gain1, h_, 1.0f);
    std::fill_n(parameters.data() + at_.gain2, h_, 1.0f);
  }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    saved.tensors.resize(forward_count);
    auto& s = saved.tensors;
    s[x] = std::move(input);
    attend(parameters.data(), s);
    return feed_forward(parameters.data(), s);
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
    if (s[up].empty()) feed_forward(parameters.data(), s);
  }

  tensor::Tensor backward_input(tensor::Tensor dy, std::span<const float> parameters, layers::SavedTensors& saved,
                                bool wanted) const override {
    auto& s = saved.tensors;
    tensor::Tensor norms = tensor::Tensor::zeros(dy.memory(), 1, 4 * h_);  // gain1, shift1, gain2, shift2
    tensor::Tensor dup, dqkv;
    const tensor::Tensor own_dy = tokens_.gather_gradient(dy);
    tensor::Tensor dx1 = feed_forward_backward(parameters.data(), s, dy, own_dy.empty() ? dy : own_dy, norms, dup);
    const tensor::Tensor own_dx1 = tokens_.gather_gradient(dx1);
    tensor::Tensor dx =
        attend_backward(parameters.data(), s, dx1, own_dx1.empty() ? dx1 : own_dx1, norms, dqkv, wanted);
    tokens_.sum_own_gradients(norms.values());
    std::array<tensor::Tensor, 9> left{std::move(s[normal1]), std::move(dqkv),       std::move(s[context]),
                                       std::move(dx1),        std::move(s[normal2]), std::move(dup),
                                       std::move(s[active]),  std::move(dy),         std::move(norms)};
    s.assign(std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
    return dx;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    float* g = gradients.data();
    add_weight_gradient(g + at_.down, s[w_active], f_, s[w_dy], h_);
    add_column_sums(g + at_.down_bias, s[w_dy].data(), rows(s[w_dy]), h_);
    add_weight_gradient(g + at_.up, *tokens_.all(s[w_normal2]), h_, s[w_dup], f_);
    add_column_sums(g + at_.up_bias, s[w_dup].data(), rows(s[w_dup]), f_);
    add_weight_gradient(g + at_.out, s[w_context], c_, s[w_dx1], h_);
    add_column_sums(g + at_.out_bias, s[w_dx1].data(), rows(s[w_dx1]), h_);
    add_weight_gradient(g + at_.qkv, *tokens_.all(s[w_normal1]), h_, s[w_dqkv], 3 * c_);
    add_qkv_bias(g + at_.qkv_bias, s[w_dqkv]);
    add(g + at_.gain1, s[w_norms].data(), 2 * h_);
    add(g + at_.gain2, s[w_norms].data() + 2 * h_, 2 * h_);
    saved.tensors.clear();
  }

 private:
  static TransformerSizes own(TransformerSizes sizes, const TransformerPart& part) {
    sizes.heads = part.heads.count, sizes.feed_forward = part.feed_forward.count;
    return sizes;
  }

  /// The blocks in the order of at_. The queries, keys and values of a row of weights are a model's width apart, and so
  /// are those of the next row.
  std::vector<layers::ParameterBlock> blocks_of(const TransformerPart& part) const {
    const layers::TransformerLayout& all = whole_->at_;
    const std::int64_t f = whole_->f_, width = shape_.key_width;
    const layers::ShardRange heads{part.heads.first * width, c_}, up = part.feed_forward;
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

  /// Returns in (rows x from) * weight (from x to) + bias; `by_rows`: of the rank's tokens.
  tensor::Tensor linear(const tensor::Tensor& in, std::int64_t from, std::int64_t to, const float* weight,
                        const float* bias, bool by_rows = false) const {
    tensor::Tensor out = project(in, from, to, weight);
    if (by_rows) tokens_.sum(out);
    add_bias(out.data(), bias, out.size() / to, to);
    return out;
  }

  /// Returns the gradient of linear's input, from its output's; `by_columns`: of the rank's tokens.
  tensor::Tensor linear_backward(const tensor::Tensor& gradient, std::int64_t from, std::int64_t to,
                                 const float* weight, bool by_columns = false) const {
    tensor::Tensor out = project_backward(gradient, from, to, weight);
    if (by_columns) tokens_.sum(out);
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

  void attend(const float* p, std::vector<tensor::Tensor>& s) const {
    normalise(s[x], p + at_.gain1, p + at_.shift1, s[mean1], s[inverse1], s[normal1]);
    s[qkv] = linear(*tokens_.all(s[normal1]), h_, 3 * c_, p + at_.qkv, p + at_.qkv_bias);
    s[context] = of_heads(s, c_);
    s[probability] = of_heads(s, shape_.heads * shape_.key_rows());
    attention({s[context].data(), c_}, s[probability].data(), inputs(s), s[x].samples(), shape_);
    s[x1] = linear(s[context], c_, h_, p + at_.out, p + at_.out_bias, true);
    add(s[x1].data(), s[x].data(), s[x1].size());
  }

  tensor::Tensor feed_forward(const float* p, std::vector<tensor::Tensor>& s) const {
    normalise(s[x1], p + at_.gain2, p + at_.shift2, s[mean2], s[inverse2], s[normal2]);
    s[up] = linear(*tokens_.all(s[normal2]), h_, f_, p + at_.up, p + at_.up_bias);
    s[active] = s[up].empty_like();
    gelu(s[active].data(), s[up].data(), s[up].size());
    tensor::Tensor y = linear(s[active], f_, h_, p + at_.down, p + at_.down_bias, true);
    add(y.data(), s[x1].data(), y.size());
    return y;
  }

  /// Returns the gradient of x1, of the rank's tokens as `own`; `dy` is of all. `dup` becomes that of the activation's
  /// input.
  tensor::Tensor feed_forward_backward(const float* p, std::vector<tensor::Tensor>& s, const tensor::Tensor& dy,
                                       const tensor::Tensor& own, tensor::Tensor& norms, tensor::Tensor& dup) const {
    dup = linear_backward(dy, f_, h_, p + at_.down);
    gelu_backward(dup.data(), s[up].data(), dup.size());
    s[up].release();
    const tensor::Tensor dnormal = linear_backward(dup, h_, f_, p + at_.up, true);
    tensor::Tensor dx1 = own.slice(0, own.samples(), own.memory());
    layer_norm_backward(dx1.data(), norms.data() + 2 * h_, norms.data() + 3 * h_, dnormal.data(), s[x1].data(),
                        s[mean2].data(), s[inverse2].data(), p + at_.gain2, own_rows(own), h_);
    s[x1].release();
    return dx1;
  }

  tensor::Tensor attend_backward(const float* p, std::vector<tensor::Tensor>& s, const tensor::Tensor& dx1,
                                 const tensor::Tensor& own, tensor::Tensor& norms, tensor::Tensor& dqkv,
                                 bool wanted) const {
    dqkv = wide(dx1, 3 * c_);
    {
      const tensor::Tensor dcontext = linear_backward(dx1, c_, h_, p + at_.out);
      tensor::Tensor scratch(dx1.memory(), 1, shape_.scores());
      float* dq = dqkv.data();
      attention_backward({{dq, 3 * c_}, {dq + c_, 3 * c_}, {dq + 2 * c_, 3 * c_}}, {dcontext.data(), c_},
                         s[probability].data(), inputs(s), scratch.data(), dx1.samples(), shape_);
    }
    s[probability].release(), s[qkv].release();
    const tensor::Tensor dnormal = linear_backward(dqkv, h_, 3 * c_, p + at_.qkv, true);
    tensor::Tensor dx;
    if (wanted) dx = own.slice(0, own.samples(), own.memory());
    layer_norm_backward(dx.data(), norms.data(), norms.data() + h_, dnormal.data(), s[x].data(), s[mean1].data(),
                        s[inverse1].data(), p + at_.gain1, own_rows(own), h_);
    return dx;
  }

  AttentionShape shape_;    ///< of the local heads
  std::int64_t h_, c_, f_;  ///< the model's width, and those of the local heads and feed-forward
  layers::TransformerLayout at_;
  layers::OwnTokens tokens_;
  std::unique_ptr<Transformer> whole_;  ///< of a shard
  std::vector<layers::ParameterBlock> blocks_;
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
  return TransformerSizes{*hidden, *heads, *hidden / *heads, *feed_forward, *sequence, *causal == 1};
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
