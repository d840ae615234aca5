// SPDX-License-Identifier: Apache-2.0
// Blocks of today's language models and their halves, with the CPU's parameters in the same order:
//  x1 = x + attention(rms(x) Wq, rms(x) Wk, rms(x) Wv) Wo: causal, with rotary positions and grouped heads;
//  y = x1 + (silu(rms(x1) Wgate) * rms(x1) Wup) Wdown
// Keys and values are repeated for the heads that share them, so that attention is that of equally many heads.
#include <optional>
#include <utility>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/cuda/attention.hpp"
#include "core/runtime/cuda/block_products.hpp"
#include "core/runtime/cuda/layers.hpp"
#include "core/runtime/cuda/products.hpp"
#include "core/runtime/layers/adapters.hpp"
#include "core/runtime/layers/block_halves.hpp"
#include "core/runtime/layers/decoder_layout.hpp"
#include "core/runtime/layers/frozen_layer.hpp"

namespace pipedeck::runtime::cuda {
namespace {

/// A rank's heads and columns, and the partners that have the others: sharded as on the CPU.
struct OwnShare {
  std::int64_t key_value_heads, feed_forward;
  std::optional<layers::TensorParallelGroup> partners;
};

/// A half with its norm, its residual, and the sums over the ranks. Its parameters begin with the norm's gains. With
/// adapters these are its parameters, and all others are frozen. Initial weights are drawn by the processor's layer.
template <class T>
class NormedHalf : public layers::BlockHalf {
 protected:
  using Products = BlockProducts<T>;
  using Gradient = typename Products::Gradient;
  using Tensors = std::vector<tensor::Tensor>;
  using Weights = layers::HalfWeights;

 public:
  /// `products`: those that may have adapters.
  NormedHalf(const ModelLayer& layer, std::int64_t parameters, const OwnShare& own,
             std::vector<layers::AdaptedProduct> products)
      : NormedHalf(layer, parameters, own, layers::AdapterLayout(layers::adapters_of(layer), std::move(products))) {}
  void initialise(std::span<float>, Random) const override {}
  std::int64_t frozen_parameters() const override { return frozen_; }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    CudaDevice& device = CudaDevice::of(input);
    auto& s = saved.tensors;
    s.resize(forward_tensors());
    const Weights p = weights_of(parameters, saved);
    s[x] = std::move(input);
    s[normal] = products_.rms(device, s[x], s[inverse], p.base, epsilon_);
    tensor::Tensor room, y;
    y = compute(device, p, products_.all_tokens(device, s[normal], room), s);
    device.add(y.data(), s[x].data(), y.size());
    return y;
  }

  /// Restores a half that kept nothing but its input.
  void restore(layers::SavedTensors& saved, std::span<const float> parameters,
               const layers::RecomputedParts&) const override {
    auto& s = saved.tensors;
    if (s[inverse].empty()) forward(std::move(s[x]), parameters, saved);
  }

  tensor::Tensor backward_input(tensor::Tensor dy, std::span<const float> parameters, layers::SavedTensors& saved,
                                bool wanted) const override {
    CudaDevice& device = CudaDevice::of(dy);
    auto& s = saved.tensors;
    const Weights p = weights_of(parameters, saved);
    Gradient of_y(products_, device, std::move(dy));
    Tensors left(backward_tensors());
    tensor::Tensor dnormal = compute_backward(device, p, s, of_y, left);
    products_.sum_tokens(dnormal);
    tensor::Tensor dx = products_.rms_backward(device, of_y.floats(), dnormal, s[x], s[inverse], p.base, left[w_gains],
                                               wanted, !adapted());
    left[w_normal] = std::move(s[normal]), left[w_rows] = std::move(s[inverse]);
    left[w_dy] = std::move(of_y).for_products();
    s = std::move(left);
    return dx;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const Tensors& s = saved.tensors;
    CudaDevice& device = CudaDevice::of(s[w_rows]);
    if (products_.divides_tokens()) saved.tensors[w_normal] = products_.gathered(device, s[w_normal]);
    add_all_gradients(device, gradients.data(), s, products_.rows(s[w_rows]));
    if (!adapted()) device.add(gradients.data(), s[w_gains].data(), products_.hidden());
    saved.tensors.clear();
  }

 protected:
  /// The first tensors that forward saves; a half's own ones begin at `first_own`.
  enum Saved : std::size_t { x, inverse, normal, first_own };
  /// The first tensors left by backward_input: input and gradient of products as T, and the gradient of the gains. The
  /// inverses have the shape of the rows.
  enum Left : std::size_t { w_normal, w_dy, w_gains, w_rows, first_own_left };

  /// Returns the output without the residual, of the rank's tokens. `in`: the norm's output for all tokens.
  virtual tensor::Tensor compute(CudaDevice& device, const Weights& p, const tensor::Tensor& in, Tensors& s) const = 0;
  /// Returns this rank's part of the gradient of the norm's output for all tokens. Fills the half's own tensors of
  /// `left`.
  virtual tensor::Tensor compute_backward(CudaDevice& device, const Weights& p, Tensors& s, const Gradient& of_y,
                                          Tensors& left) const = 0;
  /// Adds the gradients of all weights but the norm's gains, of `rows` positions; with adapters those of these alone.
  virtual void add_all_gradients(CudaDevice& device, float* g, const Tensors& s, std::int64_t rows) const = 0;

  const Products& products() const { return products_; }
  static T* values(tensor::Tensor& of_t) { return Products::values(of_t); }
  static const T* as_read(const tensor::Tensor& of_t) { return Products::values(of_t); }
  float epsilon() const { return epsilon_; }

  /// True if adapters are trained, and all other weights are frozen.
  bool adapted() const { return adapters_.any(); }
  std::size_t narrow_tensors() const { return 2 * adapters_.places.size(); }

  /// Adds a product's adapter to its output, from its input, both for all tokens of `like`.
  template <class To>
  void add_adapter(CudaDevice& device, const Weights& p, std::size_t number, const tensor::Tensor& in, To* out,
                   const tensor::Tensor& like) const {
    if (!has_adapter(number)) return;
    const AdapterWeights of = adapter(number, p);
    const SampleRows rows{like.samples(), products_.rows(like)};
    const tensor::Tensor v = narrow_rows(device, of, Products::factor(in, rows.count, of.place.product.from), rows);
    add_adapted(device, of, out, v, rows.count);
  }
  /// Adds the gradient of a product's input by its adapter, from its output's. Leaves that of the narrow rows, of all
  /// ranks.
  template <class To>
  void add_adapter_backward(CudaDevice& device, const Weights& p, std::size_t number, const GemmOperand& dy, To* dx,
                            const tensor::Tensor& like, Tensors& left) const {
    if (!has_adapter(number)) return;
    const AdapterWeights of = adapter(number, p);
    const SampleRows rows{like.samples(), products_.rows(like)};
    tensor::Tensor u = narrow_gradient(device, of, dy, rows);
    add_adapter_input_gradient(device, of, dx, u, rows.count);
    if (of.place.product.cut == layers::ProductCut::columns) products_.sum_up(u);
    left[narrow_at(number) + 1] = std::move(u);
  }
  /// Leaves the narrow rows of a product's input, of all ranks: the norm's output, of the rank's tokens, or what goes
  /// into the product out.
  void leave_narrow_rows(CudaDevice& device, const Weights& p, std::size_t number, const tensor::Tensor& in,
                         const tensor::Tensor& like, Tensors& left) const {
    if (!has_adapter(number)) return;
    const AdapterWeights of = adapter(number, p);
    const bool out = of.place.product.cut == layers::ProductCut::rows;
    const SampleRows rows{like.samples(), out ? products_.rows(like) : products_.own_rows(like)};
    tensor::Tensor v = narrow_rows(device, of, Products::factor(in, rows.count, of.place.product.from), rows);
    if (out)
      products_.sum_up(v);
    else
      v = products_.all_rows(std::move(v));
    left[narrow_at(number)] = std::move(v);
  }
  /// Adds the gradients of a product's adapter, from the product's input and the gradient of its output.
  void add_adapter_gradient(CudaDevice& device, float* g, std::size_t number, const tensor::Tensor& in,
                            const tensor::Tensor& dy, const Tensors& s, std::int64_t rows) const {
    if (!has_adapter(number)) return;
    const layers::AdapterPlace& place = adapters_.places[number];
    add_adapter_gradients(device, place, g, Products::factor(in, rows, place.product.from),
                          Products::factor(dy, rows, place.product.to), s[narrow_at(number)], s[narrow_at(number) + 1],
                          rows);
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

 private:
  NormedHalf(const ModelLayer& layer, std::int64_t parameters, const OwnShare& own, layers::AdapterLayout adapters)
      : layers::BlockHalf(own_width(layer, own), own_width(layer, own), adapters.any() ? adapters.end : parameters),
        products_(layer.size("hidden"), layer.size("sequence"), own.partners),
        adapters_(std::move(adapters)),
        frozen_(adapters_.any() ? parameters : 0),
        epsilon_(epsilon_of(layer)) {}

  Weights weights_of(std::span<const float> parameters, const layers::SavedTensors& saved) const {
    return adapted() ? Weights{saved.frozen.data(), parameters.data()} : Weights{parameters.data(), nullptr};
  }
  bool has_adapter(std::size_t number) const { return adapted() && adapters_.places[number].any(); }
  AdapterWeights adapter(std::size_t number, const Weights& p) const { return {adapters_.places[number], p.adapters}; }
  /// Returns the place of a product's narrow rows among the tensors left; those of their gradient follow.
  std::size_t narrow_at(std::size_t number) const { return backward_tensors() - narrow_tensors() + 2 * number; }

  static std::int64_t own_width(const ModelLayer& layer, const OwnShare& own) {
    const std::int64_t sequence = layer.size("sequence");
    const bool some = own.partners && own.partners->shard().tokens;
    return (some ? own.partners->local_positions(sequence).count : sequence) * layer.size("hidden");
  }

  Products products_;
  layers::AdapterLayout adapters_;
  std::int64_t frozen_;
  float epsilon_;
};

template <class T>
class AttentionHalf final : public NormedHalf<T> {
  using Half = NormedHalf<T>;
  using Half::products, Half::values, Half::as_read, Half::x, Half::w_normal, Half::w_dy;
  using typename Half::Gradient, typename Half::Tensors, typename Half::Weights;

 public:
  AttentionHalf(const ModelLayer& layer, const OwnShare& own)
      : Half(layer, layout(layer, own).end, own, adapted_products(layer, own)),
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
  std::size_t backward_tensors() const override { return backward_count + this->narrow_tensors(); }

 private:
  /// Further tensors saved by forward; the last four with a norm of the heads.
  enum OwnSaved : std::size_t {
    qkv = Half::first_own,
    logsumexp,
    context,
    raw_query,
    raw_key,
    query_inverse,
    key_inverse,
    forward_count
  };
  enum Product : std::size_t { to_queries, to_keys, to_values, out };
  enum OwnLeft : std::size_t { w_dq = Half::first_own_left, w_dk, w_dv, w_context, w_head_gains, backward_count };

  tensor::Tensor compute(CudaDevice& device, const Weights& p, const tensor::Tensor& in, Tensors& s) const override {
    tensor::Tensor query = head_product(device, s, in, p, to_queries), key = head_product(device, s, in, p, to_keys);
    const tensor::Tensor value = head_product(device, s, in, p, to_values);
    if (norms_) {
      query = norm_heads(device, s, std::move(query), raw_query, query_inverse, p + at_.query_gain, heads_);
      key = norm_heads(device, s, std::move(key), raw_key, key_inverse, p + at_.key_gain, groups_);
    }
    s[qkv] = products().inner(s[x], 3 * queries());
    pack_heads(device.stream(), values(s[qkv]), as_read(query), as_read(key), as_read(value), grouped(s[x]), angles_);
    s[context] = products().inner(s[x], queries());
    s[logsumexp] = products().wide(s[x], heads_);
    run_attention(device, values(s[context]), s[logsumexp].data(), as_read(s[qkv]), shape(s[x]));
    tensor::Tensor y = products().part_out_of(device, s[x], s[context], queries(), p + at_.out);
    this->add_adapter(device, p, out, s[context], y.data(), s[x]);
    products().sum_tokens(y);
    return y;
  }

  tensor::Tensor compute_backward(CudaDevice& device, const Weights& p, Tensors& s, const Gradient& of_y,
                                  Tensors& left) const override {
    const tensor::Tensor& floats = of_y.floats();
    tensor::Tensor &dq = left[w_dq], &dk = left[w_dk], &dv = left[w_dv];
    dq = products().inner(floats, queries()), dk = products().inner(floats, keys());
    dv = products().inner(floats, keys());
    {
      tensor::Tensor dqkv = products().inner(floats, 3 * queries());
      tensor::Tensor dcontext = products().out_of_backward(device, of_y, queries(), p + at_.out);
      this->add_adapter_backward(device, p, out, of_y.factor(), values(dcontext), floats, left);
      this->leave_narrow_rows(device, p, out, s[context], floats, left);
      run_attention_backward(device, values(dqkv), as_read(std::as_const(dcontext)), as_read(s[context]),
                             std::as_const(s[logsumexp]).data(), as_read(s[qkv]), shape(floats));
      s[qkv].release(), s[logsumexp].release();
      unpack_heads(device.stream(), values(dq), values(dk), values(dv), as_read(dqkv), grouped(floats), angles_);
    }
    if (norms_) {
      tensor::Tensor& gains = left[w_head_gains];
      gains = tensor::Tensor::zeros(floats.memory(), 1, 2 * head_);
      norm_heads_backward(device, dq, s[raw_query], s[query_inverse], p + at_.query_gain, gains.data(), heads_);
      norm_heads_backward(device, dk, s[raw_key], s[key_inverse], p + at_.key_gain, gains.data() + head_, groups_);
      if (!this->adapted()) products().sum_up(gains);
    }
    left[w_context] = std::move(s[context]);
    tensor::Tensor dnormal = products().into_backward(device, floats, dq, queries(), p + at_.query);
    add_into_backward(device, dnormal, dk, p + at_.key);
    add_into_backward(device, dnormal, dv, p + at_.value);
    for (const auto& [number, gradient] : {std::pair(to_queries, &dq), {to_keys, &dk}, {to_values, &dv}}) {
      const std::int64_t width = number == to_queries ? queries() : keys();
      const GemmOperand of_product = Half::Products::factor(*gradient, products().rows(floats), width);
      this->add_adapter_backward(device, p, number, of_product, dnormal.data(), floats, left);
      this->leave_narrow_rows(device, p, number, s[Half::normal], floats, left);
    }
    return dnormal;
  }

  void add_all_gradients(CudaDevice& device, float* g, const Tensors& s, std::int64_t n) const override {
    if (this->adapted()) return add_adapters(device, g, s, n);
    const std::int64_t h = products().hidden();
    this->add_gradients(device, {n, queries(), h}, g + at_.out, s[w_context], s[w_dy]);
    this->add_gradients(device, {n, h, queries()}, g + at_.query, s[w_normal], s[w_dq], bias(g, at_.query_bias));
    this->add_gradients(device, {n, h, keys()}, g + at_.key, s[w_normal], s[w_dk], bias(g, at_.key_bias));
    this->add_gradients(device, {n, h, keys()}, g + at_.value, s[w_normal], s[w_dv], bias(g, at_.value_bias));
    if (norms_) device.add(g + at_.query_gain, s[w_head_gains].data(), 2 * head_);
  }

  void add_adapters(CudaDevice& device, float* g, const Tensors& s, std::int64_t n) const {
    this->add_adapter_gradient(device, g, to_queries, s[w_normal], s[w_dq], s, n);
    this->add_adapter_gradient(device, g, to_keys, s[w_normal], s[w_dk], s, n);
    this->add_adapter_gradient(device, g, to_values, s[w_normal], s[w_dv], s, n);
    this->add_adapter_gradient(device, g, out, s[w_context], s[w_dy], s, n);
  }

  static std::vector<layers::AdaptedProduct> adapted_products(const ModelLayer& layer, const OwnShare& own) {
    const std::int64_t k = own.key_value_heads * head_width(layer),
                       q = k * (layer.size("heads") / key_value_heads(layer));
    return layers::attention_products(layout(layer, own), layer.size("hidden"), q, k,
                                      layers::adapters_of(layer).targets);
  }
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

  /// Returns queries, keys or values.
  tensor::Tensor head_product(CudaDevice& device, const Tensors& s, const tensor::Tensor& in, const Weights& p,
                              Product number) const {
    const std::int64_t weights[] = {at_.query, at_.key, at_.value},
                       biases[] = {at_.query_bias, at_.key_bias, at_.value_bias};
    tensor::Tensor made = products().into(device, s[x], in, number == to_queries ? queries() : keys(),
                                          p + weights[number], bias_ ? p + biases[number] : nullptr);
    this->add_adapter(device, p, number, in, values(made), s[x]);
    return made;
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
  using Half::products, Half::values, Half::as_read, Half::x, Half::w_normal, Half::w_dy;
  using typename Half::Gradient, typename Half::Tensors, typename Half::Weights;

 public:
  FeedForwardHalf(const ModelLayer& layer, const OwnShare& own)
      : Half(layer, layout(layer, own).end, own, adapted_products(layer, own)),
        f_(own.feed_forward),
        at_(layout(layer, own)) {}

  std::size_t forward_tensors() const override { return forward_count; }
  std::size_t backward_tensors() const override { return backward_count + this->narrow_tensors(); }

  void discard(layers::SavedTensors& saved, const layers::RecomputedParts& parts) const override {
    if (!parts.contains(layers::RecomputedPart::feed_forward)) return;
    for (std::size_t i = x + 1; i < saved.tensors.size(); ++i) saved.tensors[i].release();
  }

 private:
  enum OwnSaved : std::size_t { gates = Half::first_own, active, forward_count };
  enum Product : std::size_t { in, out };
  enum OwnLeft : std::size_t { w_dgates = Half::first_own_left, w_active, backward_count };

  static layers::FeedForwardLayout layout(const ModelLayer& layer, const OwnShare& own) {
    return {layer.size("hidden"), own.feed_forward};
  }
  static std::vector<layers::AdaptedProduct> adapted_products(const ModelLayer& layer, const OwnShare& own) {
    return layers::feed_forward_products(layout(layer, own), layer.size("hidden"), own.feed_forward,
                                         layers::adapters_of(layer).targets);
  }

  tensor::Tensor compute(CudaDevice& device, const Weights& p, const tensor::Tensor& normed,
                         Tensors& s) const override {
    s[gates] = products().into(device, s[x], normed, 2 * f_, p + at_.in);
    this->add_adapter(device, p, in, normed, values(s[gates]), s[x]);
    s[active] = products().inner(s[x], f_);
    silu_gate(device.stream(), values(s[active]), as_read(s[gates]), products().rows(s[x]), f_);
    tensor::Tensor y = products().part_out_of(device, s[x], s[active], f_, p + at_.out);
    this->add_adapter(device, p, out, s[active], y.data(), s[x]);
    products().sum_tokens(y);
    return y;
  }

  tensor::Tensor compute_backward(CudaDevice& device, const Weights& p, Tensors& s, const Gradient& of_y,
                                  Tensors& left) const override {
    const tensor::Tensor& floats = of_y.floats();
    left[w_dgates] = products().inner(floats, 2 * f_);
    {
      tensor::Tensor dactive = products().out_of_backward(device, of_y, f_, p + at_.out);
      this->add_adapter_backward(device, p, out, of_y.factor(), values(dactive), floats, left);
      this->leave_narrow_rows(device, p, out, s[active], floats, left);
      silu_gate_backward(device.stream(), values(left[w_dgates]), as_read(std::as_const(dactive)), as_read(s[gates]),
                         products().rows(floats), f_);
    }
    s[gates].release();
    left[w_active] = std::move(s[active]);
    tensor::Tensor dnormal = products().into_backward(device, floats, left[w_dgates], 2 * f_, p + at_.in);
    const GemmOperand of_gates = Half::Products::factor(left[w_dgates], products().rows(floats), 2 * f_);
    this->add_adapter_backward(device, p, in, of_gates, dnormal.data(), floats, left);
    this->leave_narrow_rows(device, p, in, s[Half::normal], floats, left);
    return dnormal;
  }

  void add_all_gradients(CudaDevice& device, float* g, const Tensors& s, std::int64_t n) const override {
    if (this->adapted()) {
      this->add_adapter_gradient(device, g, out, s[w_active], s[w_dy], s, n);
      return this->add_adapter_gradient(device, g, in, s[w_normal], s[w_dgates], s, n);
    }
    const std::int64_t h = products().hidden();
    this->add_gradients(device, {n, f_, h}, g + at_.out, s[w_active], s[w_dy]);
    this->add_gradients(device, {n, h, 2 * f_}, g + at_.in, s[w_normal], s[w_dgates]);
  }

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
  void discard(layers::SavedTensors& saved, const layers::RecomputedParts& parts) const override {
    passes_->discard(saved, parts);
  }
  void restore(layers::SavedTensors& saved, std::span<const float> parameters,
               const layers::RecomputedParts& parts) const override {
    passes_->restore(saved, parameters, parts);
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

/// Freezes a half without adapters, which the other half may have.
std::unique_ptr<layers::BlockHalf> frozen_half(const ModelLayer& layer, std::unique_ptr<layers::BlockHalf> half) {
  if (!layers::adapters_of(layer).freezes() || half->frozen_parameters() > 0) return half;
  const std::size_t saved = half->forward_tensors();
  return std::make_unique<layers::FrozenLayer>(std::move(half), saved);
}

template <class T>
std::unique_ptr<layers::LayerKernel> decoder(const ModelLayer& layer, const OwnShare& own,
                                             std::unique_ptr<layers::LayerKernel> on_processor) {
  std::unique_ptr<layers::LayerKernel> passes;
  if (layer.kind == "attention")
    passes = std::make_unique<AttentionHalf<T>>(layer, own);
  else if (layer.kind == "feed_forward")
    passes = std::make_unique<FeedForwardHalf<T>>(layer, own);
  else
    passes = std::make_unique<layers::TwoHalves>(frozen_half(layer, std::make_unique<AttentionHalf<T>>(layer, own)),
                                                 frozen_half(layer, std::make_unique<FeedForwardHalf<T>>(layer, own)));
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
#undef PIPEDECK_INSTANTIATE

}  // namespace pipedeck::runtime::cuda
