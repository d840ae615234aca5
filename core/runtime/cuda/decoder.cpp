// SPDX-License-Identifier: Apache-2.0
// Blocks of today's language models and their halves, with the CPU's parameters in the same order:
//  x1 = x + attention(rms(x) Wq, rms(x) Wk, rms(x) Wv) Wo: causal, with rotary positions and grouped heads;
//  y = x1 + (silu(rms(x1) Wgate) * rms(x1) Wup) Wdown
// Keys and values are repeated for the heads that share them, so that attention is that of equally many heads.
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/cuda/attention.hpp"
#include "core/runtime/cuda/block_products.hpp"
#include "core/runtime/cuda/layers.hpp"
#include "core/runtime/layers/block_halves.hpp"
#include "core/runtime/layers/decoder_layout.hpp"

namespace pipedeck::runtime::cuda {
namespace {

/// A rank's heads and columns, and the partners that have the others: sharded as on the CPU.
struct OwnShare {
  std::int64_t key_value_heads, feed_forward;
  std::optional<layers::TensorParallelGroup> partners;
};

/// A half's norm and residual. Initial weights are drawn by the processor's layer.
template <class T>
class NormedHalf : public layers::BlockHalf {
 public:
  NormedHalf(const ModelLayer& layer, std::int64_t parameters, const OwnShare& own)
      : layers::BlockHalf(layer.size("sequence") * layer.size("hidden"), layer.size("sequence") * layer.size("hidden"),
                          parameters),
        products_(layer.size("hidden"), layer.size("sequence"), own.partners),
        epsilon_(epsilon_of(layer)) {}
  void initialise(std::span<float>, Random) const override {}

 protected:
  using Products = BlockProducts<T>;
  using Gradient = typename Products::Gradient;
  const Products& products() const { return products_; }
  static T* values(tensor::Tensor& of_t) { return Products::values(of_t); }
  static const T* as_read(const tensor::Tensor& of_t) { return Products::values(of_t); }
  float epsilon() const { return epsilon_; }

  tensor::Tensor norm(CudaDevice& device, const tensor::Tensor& x, tensor::Tensor& inverse, const float* gain) const {
    tensor::Tensor normal = products_.inner(x, products_.hidden());
    inverse = products_.wide(x, 1);
    rms_norm(device.stream(), values(normal), inverse.data(), x.data(), gain, epsilon_, products_.rows(x),
             products_.hidden());
    return normal;
  }
  /// Returns the gradient of x, empty if it is not `wanted`: dy, of the residual, + that of the norm's input. Adds to
  /// the gradient of the gains.
  tensor::Tensor norm_backward(CudaDevice& device, const tensor::Tensor& dy, const tensor::Tensor& dnormal,
                               const tensor::Tensor& x, const tensor::Tensor& inverse, const float* gain,
                               tensor::Tensor& gains, bool wanted) const {
    tensor::Tensor dx;
    if (wanted) dx = dy.empty_like();
    rms_norm_backward(device.stream(), dx.data(), dy.data(), gains.data(), dnormal.data(), x.data(), inverse.data(),
                      gain, device.context().workspace(column_sums_scratch(products_.rows(x), products_.hidden())),
                      products_.rows(x), products_.hidden());
    return dx;
  }
  /// weights += transposed in (rows x from) * gradient (rows x to); bias, unless null, += the gradient's sums.
  static void add_gradients(CudaDevice& device, const ProductShape& shape, float* weights, const tensor::Tensor& in,
                            const tensor::Tensor& gradient, float* bias = nullptr) {
    const GemmOperand left = Products::factor(in, shape.rows, shape.in),
                      right = Products::factor(gradient, shape.rows, shape.out);
    if (bias == nullptr) return add_product_gradient(device, shape, weights, left, right);
    const tensor::Tensor sums = add_product_gradients(device, shape, weights, left, right, as_read(gradient));
    device.add(bias, sums.data(), sums.size());
  }
  /// Leaves these tensors for backward_weight alone.
  template <std::size_t Count>
  static void leave(std::vector<tensor::Tensor>& s, std::array<tensor::Tensor, Count> left) {
    s.assign(std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
  }

 private:
  Products products_;
  float epsilon_;
};

template <class T>
class AttentionHalf final : public NormedHalf<T> {
  using Half = NormedHalf<T>;
  using Half::products, Half::values, Half::as_read;

 public:
  AttentionHalf(const ModelLayer& layer, const OwnShare& own)
      : Half(layer, layout(layer, own).end, own),
        groups_(own.key_value_heads),
        heads_(groups_ * (layer.size("heads") / key_value_heads(layer))),
        head_(head_width(layer)),
        bias_(layer.size("bias_qkv") == 1),
        norms_(layer.size("norm_heads") == 1),
        angles_{static_cast<double>(layer.size("rotary_base")), thousandths(layer, "rotary_factor_permille"),
                thousandths(layer, "rotary_low_permille"), thousandths(layer, "rotary_high_permille"),
                static_cast<double>(layer.size("rotary_original"))},
        at_(layout(layer, own)) {}

  std::size_t forward_tensors() const override { return norms_ ? forward_count : raw_query; }
  std::size_t backward_tensors() const override { return backward_count; }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    CudaDevice& device = CudaDevice::of(input);
    const float* const p = parameters.data();
    saved.tensors.resize(forward_tensors());
    auto& s = saved.tensors;
    s[x] = std::move(input);
    s[normal] = this->norm(device, s[x], s[inverse], p + at_.gain);
    tensor::Tensor query = head_product(device, s, p, at_.query, at_.query_bias, queries()),
                   key = head_product(device, s, p, at_.key, at_.key_bias, keys());
    const tensor::Tensor value = head_product(device, s, p, at_.value, at_.value_bias, keys());
    if (norms_) {
      query = norm_heads(device, s, std::move(query), raw_query, query_inverse, p + at_.query_gain, heads_);
      key = norm_heads(device, s, std::move(key), raw_key, key_inverse, p + at_.key_gain, groups_);
    }
    s[qkv] = products().inner(s[x], 3 * queries());
    pack_heads(device.stream(), values(s[qkv]), as_read(query), as_read(key), as_read(value), grouped(s[x]), angles_);
    s[context] = products().inner(s[x], queries());
    s[logsumexp] = products().wide(s[x], heads_);
    run_attention(device, values(s[context]), s[logsumexp].data(), as_read(s[qkv]), shape(s[x]));
    tensor::Tensor y = products().out_of(device, s[x], s[context], queries(), p + at_.out);
    device.add(y.data(), s[x].data(), y.size());
    return y;
  }

  tensor::Tensor backward_input(tensor::Tensor dy, std::span<const float> parameters, layers::SavedTensors& saved,
                                bool wanted) const override {
    CudaDevice& device = CudaDevice::of(dy);
    const float* const p = parameters.data();
    auto& s = saved.tensors;
    typename Half::Gradient of_y(products(), device, std::move(dy));
    const tensor::Tensor& floats = of_y.floats();
    tensor::Tensor dq = products().inner(floats, queries()), dk = products().inner(floats, keys()),
                   dv = products().inner(floats, keys());
    {
      tensor::Tensor dqkv = products().inner(floats, 3 * queries());
      const tensor::Tensor dcontext = products().out_of_backward(device, of_y, queries(), p + at_.out);
      run_attention_backward(device, values(dqkv), as_read(dcontext), as_read(s[context]),
                             std::as_const(s[logsumexp]).data(), as_read(s[qkv]), shape(floats));
      s[qkv].release(), s[logsumexp].release();
      unpack_heads(device.stream(), values(dq), values(dk), values(dv), as_read(dqkv), grouped(floats), angles_);
    }
    tensor::Tensor gains = tensor::Tensor::zeros(floats.memory(), 1, products().hidden()), head_gains;
    if (norms_) {
      head_gains = tensor::Tensor::zeros(floats.memory(), 1, 2 * head_);
      norm_heads_backward(device, dq, s[raw_query], s[query_inverse], p + at_.query_gain, head_gains.data(), heads_);
      norm_heads_backward(device, dk, s[raw_key], s[key_inverse], p + at_.key_gain, head_gains.data() + head_, groups_);
      products().sum_up(head_gains);
    }
    tensor::Tensor dnormal = products().into_backward(device, floats, dq, queries(), p + at_.query);
    add_into_backward(device, dnormal, dk, p + at_.key);
    add_into_backward(device, dnormal, dv, p + at_.value);
    products().sum_up(dnormal);
    tensor::Tensor dx = this->norm_backward(device, floats, dnormal, s[x], s[inverse], p + at_.gain, gains, wanted);
    tensor::Tensor rows = std::move(s[inverse]);
    this->template leave<backward_count>(
        s, {std::move(s[normal]), std::move(dq), std::move(dk), std::move(dv), std::move(s[context]),
            std::move(of_y).for_products(), std::move(gains), std::move(head_gains), std::move(rows)});
    return dx;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    CudaDevice& device = CudaDevice::of(s[w_rows]);
    float* const g = gradients.data();
    const std::int64_t n = products().rows(s[w_rows]), h = products().hidden();
    this->add_gradients(device, {n, queries(), h}, g + at_.out, s[w_context], s[w_dy]);
    this->add_gradients(device, {n, h, queries()}, g + at_.query, s[w_normal], s[w_dq], bias(g, at_.query_bias));
    this->add_gradients(device, {n, h, keys()}, g + at_.key, s[w_normal], s[w_dk], bias(g, at_.key_bias));
    this->add_gradients(device, {n, h, keys()}, g + at_.value, s[w_normal], s[w_dv], bias(g, at_.value_bias));
    device.add(g + at_.gain, s[w_gains].data(), h);
    if (norms_) device.add(g + at_.query_gain, s[w_head_gains].data(), 2 * head_);
    saved.tensors.clear();
  }

 private:
  /// Tensors saved by forward, in this order; the last four with a norm of the heads.
  enum ForwardSaved : std::size_t {
    x,
    inverse,
    normal,
    qkv,
    logsumexp,
    context,
    raw_query,
    raw_key,
    query_inverse,
    key_inverse,
    forward_count
  };
  /// Tensors left by backward_input: each product's input and the gradient of its result as T, and those of the gains.
  /// The inverses have the shape of the rows.
  enum WeightSaved : std::size_t {
    w_normal,
    w_dq,
    w_dk,
    w_dv,
    w_context,
    w_dy,
    w_gains,
    w_head_gains,
    w_rows,
    backward_count
  };

  static layers::AttentionLayout layout(const ModelLayer& layer, const OwnShare& own) {
    const std::int64_t head = head_width(layer);
    return {layer.size("hidden"),        own.key_value_heads * (layer.size("heads") / key_value_heads(layer)) * head,
            own.key_value_heads * head,  head,
            layer.size("bias_qkv") == 1, layer.size("norm_heads") == 1};
  }
  static double thousandths(const ModelLayer& layer, const char* size) {
    return static_cast<double>(layer.size(size)) / 1000;
  }

  std::int64_t queries() const { return heads_ * head_; }
  std::int64_t keys() const { return groups_ * head_; }
  float* bias(float* g, std::int64_t at) const { return bias_ ? g + at : nullptr; }
  GroupedHeads grouped(const tensor::Tensor& of_floats) const {
    return {of_floats.samples(), products().rows(of_floats) / of_floats.samples(), heads_, groups_, head_};
  }
  AttentionShape shape(const tensor::Tensor& of_floats) const {
    return {of_floats.samples(), products().rows(of_floats) / of_floats.samples(), heads_, head_, true};
  }

  tensor::Tensor head_product(CudaDevice& device, const std::vector<tensor::Tensor>& s, const float* p,
                              std::int64_t weight, std::int64_t bias, std::int64_t width) const {
    return products().into(device, s[x], s[normal], width, p + weight, bias_ ? p + bias : nullptr);
  }
  void add_into_backward(CudaDevice& device, tensor::Tensor& dnormal, const tensor::Tensor& gradient,
                         const float* weight) const {
    const tensor::Tensor more = products().into_backward(device, dnormal, gradient, keys(), weight);
    device.add(dnormal.data(), more.data(), dnormal.size());
  }

  /// Returns the norm of each head; what it was made of is saved.
  tensor::Tensor norm_heads(CudaDevice& device, std::vector<tensor::Tensor>& s, tensor::Tensor raw, std::size_t saved,
                            std::size_t inverses, const float* gain, std::int64_t heads) const {
    s[saved] = std::move(raw);
    s[inverses] = products().wide(s[x], heads);
    tensor::Tensor out = products().inner(s[x], heads * head_);
    rms_norm(device.stream(), values(out), s[inverses].data(), as_read(s[saved]), gain, this->epsilon(),
             products().rows(s[x]) * heads, head_);
    return out;
  }
  /// Replaces the gradient of normed heads by that of the norm's input.
  void norm_heads_backward(CudaDevice& device, tensor::Tensor& gradient, const tensor::Tensor& raw,
                           const tensor::Tensor& inverses, const float* gain, float* gains, std::int64_t heads) const {
    const std::int64_t n = products().rows(inverses) * heads;
    tensor::Tensor out = products().inner(inverses, heads * head_);
    const T* const no_other = nullptr;
    rms_norm_backward(device.stream(), values(out), no_other, gains, as_read(gradient), as_read(raw), inverses.data(),
                      gain, device.context().workspace(column_sums_scratch(n, head_)), n, head_);
    gradient = std::move(out);
  }

  std::int64_t groups_, heads_, head_;
  bool bias_, norms_;
  layers::RotaryAngles angles_;
  layers::AttentionLayout at_;
};

template <class T>
class FeedForwardHalf final : public NormedHalf<T> {
  using Half = NormedHalf<T>;
  using Half::products, Half::values, Half::as_read;

 public:
  FeedForwardHalf(const ModelLayer& layer, const OwnShare& own)
      : Half(layer, layers::FeedForwardLayout(layer.size("hidden"), own.feed_forward).end, own),
        f_(own.feed_forward),
        at_(layer.size("hidden"), f_) {}

  std::size_t forward_tensors() const override { return forward_count; }
  std::size_t backward_tensors() const override { return backward_count; }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    CudaDevice& device = CudaDevice::of(input);
    const float* const p = parameters.data();
    saved.tensors.resize(forward_count);
    auto& s = saved.tensors;
    s[x] = std::move(input);
    s[normal] = this->norm(device, s[x], s[inverse], p + at_.gain);
    s[gates] = products().into(device, s[x], s[normal], 2 * f_, p + at_.in);
    s[active] = products().inner(s[x], f_);
    silu_gate(device.stream(), values(s[active]), as_read(s[gates]), products().rows(s[x]), f_);
    tensor::Tensor y = products().out_of(device, s[x], s[active], f_, p + at_.out);
    device.add(y.data(), s[x].data(), y.size());
    return y;
  }

  tensor::Tensor backward_input(tensor::Tensor dy, std::span<const float> parameters, layers::SavedTensors& saved,
                                bool wanted) const override {
    CudaDevice& device = CudaDevice::of(dy);
    const float* const p = parameters.data();
    auto& s = saved.tensors;
    typename Half::Gradient of_y(products(), device, std::move(dy));
    const tensor::Tensor& floats = of_y.floats();
    tensor::Tensor dgates = products().inner(floats, 2 * f_);
    {
      const tensor::Tensor dactive = products().out_of_backward(device, of_y, f_, p + at_.out);
      silu_gate_backward(device.stream(), values(dgates), as_read(dactive), as_read(s[gates]), products().rows(floats),
                         f_);
    }
    s[gates].release();
    tensor::Tensor dnormal = products().into_backward(device, floats, dgates, 2 * f_, p + at_.in);
    products().sum_up(dnormal);
    tensor::Tensor gains = tensor::Tensor::zeros(floats.memory(), 1, products().hidden());
    tensor::Tensor dx = this->norm_backward(device, floats, dnormal, s[x], s[inverse], p + at_.gain, gains, wanted);
    tensor::Tensor rows = std::move(s[inverse]);
    this->template leave<backward_count>(s, {std::move(s[normal]), std::move(dgates), std::move(s[active]),
                                             std::move(of_y).for_products(), std::move(gains), std::move(rows)});
    return dx;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    CudaDevice& device = CudaDevice::of(s[w_rows]);
    float* const g = gradients.data();
    const std::int64_t n = products().rows(s[w_rows]), h = products().hidden();
    this->add_gradients(device, {n, f_, h}, g + at_.out, s[w_active], s[w_dy]);
    this->add_gradients(device, {n, h, 2 * f_}, g + at_.in, s[w_normal], s[w_dgates]);
    device.add(g + at_.gain, s[w_gains].data(), h);
    saved.tensors.clear();
  }

 private:
  enum ForwardSaved : std::size_t { x, inverse, normal, gates, active, forward_count };
  enum WeightSaved : std::size_t { w_normal, w_dgates, w_active, w_dy, w_gains, w_rows, backward_count };

  std::int64_t f_;  ///< of the local columns
  layers::FeedForwardLayout at_;
};

/// A block or one of its halves.
class Decoder final : public CudaLayer {
 public:
  Decoder(std::unique_ptr<layers::LayerKernel> passes, std::unique_ptr<layers::LayerKernel> on_processor)
      : CudaLayer(std::move(on_processor)), passes_(std::move(passes)) {}
  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    return passes_->forward(std::move(input), parameters, saved);
  }
  tensor::Tensor backward_input(tensor::Tensor gradient, std::span<const float> parameters, layers::SavedTensors& saved,
                                bool wanted) const override {
    return passes_->backward_input(std::move(gradient), parameters, saved, wanted);
  }
  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    passes_->backward_weight(saved, gradients);
  }

 private:
  std::unique_ptr<layers::LayerKernel> passes_;
};

template <class T>
std::unique_ptr<layers::LayerKernel> decoder(const ModelLayer& layer, const OwnShare& own,
                                             std::unique_ptr<layers::LayerKernel> on_processor) {
  std::unique_ptr<layers::LayerKernel> passes;
  if (layer.kind == "attention")
    passes = std::make_unique<AttentionHalf<T>>(layer, own);
  else if (layer.kind == "feed_forward")
    passes = std::make_unique<FeedForwardHalf<T>>(layer, own);
  else
    passes = std::make_unique<layers::TwoHalves>(std::make_unique<AttentionHalf<T>>(layer, own),
                                                 std::make_unique<FeedForwardHalf<T>>(layer, own));
  return std::make_unique<Decoder>(std::move(passes), std::move(on_processor));
}

std::int64_t groups_of(const ModelLayer& layer) { return layer.kind == "feed_forward" ? 0 : key_value_heads(layer); }
std::int64_t columns_of(const ModelLayer& layer) { return layer.kind == "attention" ? 0 : layer.size("feed_forward"); }

}  // namespace

template <class T>
std::unique_ptr<layers::LayerKernel> make_decoder(const ModelLayer& layer,
                                                  std::unique_ptr<layers::LayerKernel> on_processor) {
  return decoder<T>(layer, {groups_of(layer), columns_of(layer), {}}, std::move(on_processor));
}
template <class T>
std::unique_ptr<layers::LayerKernel> make_sharded_decoder(const ModelLayer& layer,
                                                          const layers::LayerSharding& sharding,
                                                          std::unique_ptr<layers::LayerKernel> on_processor) {
  const layers::TensorParallelGroup& partners = sharding.partners;
  const auto own = [&](std::int64_t all) { return all > 0 ? partners.local_range(all).count : 0; };
  return decoder<T>(layer, {own(groups_of(layer)), own(columns_of(layer)), partners}, std::move(on_processor));
}

#define PIPEDECK_INSTANTIATE(T)                                                                        \
  template std::unique_ptr<layers::LayerKernel> make_decoder<T>(const ModelLayer&,                     \
                                                                std::unique_ptr<layers::LayerKernel>); \
  template std::unique_ptr<layers::LayerKernel> make_sharded_decoder<T>(                               \
      const ModelLayer&, const layers::LayerSharding&, std::unique_ptr<layers::LayerKernel>);
PIPEDECK_INSTANTIATE(float)
PIPEDECK_INSTANTIATE(Bf16)

}  // namespace pipedeck::runtime::cuda
