// SPDX-License-Identifier: Apache-2.0
// Pre-norm transformer block (GPT-2; causal or not), with the CPU's parameters in the same order:
//  x1 = x + attention(norm1(x) Wqkv + bqkv) Wo + bo;   y = x1 + gelu(norm2(x1) W1 + b1) W2 + b2
// x, x1 and y, sums and norms are floats. Values between products are of T: floats, or 16-bit values. Norms and
// residuals are of the rank's tokens (block_products.hpp).
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "core/runtime/cuda/attention.hpp"
#include "core/runtime/cuda/block_products.hpp"
#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/layers.hpp"
#include "core/runtime/layers/transformer_layout.hpp"

namespace pipedeck::runtime::cuda {
namespace {

/// Tensors saved by forward, in this order.
enum ForwardSaved : std::size_t {
  x,
  mean1,
  inverse1,
  normal1,
  qkv,
  logsumexp,
  context,
  x1,
  mean2,
  inverse2,
  normal2,
  up,
  active,
  forward_count
};
/// Tensors left by backward_input for backward_weight: each product's input and the gradient of its result, as T. The
/// means have the shape of the rows.
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
  w_mean,
  weight_count
};

/// The local heads and feed-forward columns, and the partners that have the others: sharded as on the CPU.
struct AtHand {
  std::int64_t heads, feed_forward;
  std::optional<layers::TensorParallelGroup> partners;
};

template <class T>
class Transformer final : public CudaLayer {
 public:
  Transformer(const ModelLayer& layer, const AtHand& at_hand, std::unique_ptr<layers::LayerKernel> on_processor)
      : CudaLayer(std::move(on_processor)),
        h_(layer.size("hidden")),
        heads_(at_hand.heads),
        head_size_(h_ / layer.size("heads")),
        c_(heads_ * head_size_),
        f_(at_hand.feed_forward),
        sequence_(layer.size("sequence")),
        causal_(layer.size("causal") == 1),
        at_(h_, c_, f_),
        products_(h_, sequence_, at_hand.partners) {}

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    CudaDevice& device = CudaDevice::of(input);
    saved.tensors.resize(forward_count);
    auto& s = saved.tensors;
    s[x] = std::move(input);
    attend(device, parameters.data(), s);
    return feed_forward(device, parameters.data(), s);
  }

  /// Discards the feed-forward; attention stores no softmaxes.
  void discard(layers::SavedTensors& saved, const layers::RecomputedParts& parts) const override {
    if (!parts.contains(layers::RecomputedPart::feed_forward)) return;
    for (const ForwardSaved part : {mean2, inverse2, normal2, up, active}) saved.tensors[part].release();
  }
  void restore(layers::SavedTensors& saved, std::span<const float> parameters,
               const layers::RecomputedParts&) const override {
    auto& s = saved.tensors;
    if (!s[up].empty()) return;
    CudaDevice& device = CudaDevice::of(s[x1]);
    const auto [in, mean, inverse] = make_norm2(s);
    layer_norm(device.stream(), in, mean, inverse, as_read(s[x1]), parameters.data() + at_.gain2,
               parameters.data() + at_.shift2, products_.own_rows(s[x1]), h_);
    activate(device, parameters.data(), s);
  }

  tensor::Tensor backward_input(tensor::Tensor dy, std::span<const float> parameters, layers::SavedTensors& saved,
                                bool wanted) const override {
    CudaDevice& device = CudaDevice::of(dy);
    auto& s = saved.tensors;
    tensor::Tensor norms = tensor::Tensor::zeros(dy.memory(), 1, 4 * h_);  // gain1, shift1, gain2, shift2
    tensor::Tensor dup, dqkv;
    Gradient of_y(products_, device, std::move(dy));
    Gradient of_x1(products_, device, feed_forward_backward(device, parameters.data(), s, of_y, norms, dup));
    tensor::Tensor left_of_y = std::move(of_y).for_products();
    tensor::Tensor dx = attend_backward(device, parameters.data(), s, of_x1, norms, dqkv, wanted);
    products_.sum_own_gradients(norms);
    std::array<tensor::Tensor, weight_count> left{
        std::move(s[normal1]), std::move(dqkv),    std::move(s[context]), std::move(of_x1).for_products(),
        std::move(s[normal2]), std::move(dup),     std::move(s[active]),  std::move(left_of_y),
        std::move(norms),      std::move(s[mean1])};
    s.assign(std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
    return dx;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    CudaDevice& device = CudaDevice::of(s[w_dy]);
    float* g = gradients.data();
    const std::int64_t n = rows(s[w_mean]);
    if (products_.divides_tokens())
      for (const WeightSaved normal : {w_normal1, w_normal2})
        saved.tensors[normal] = products_.gathered(device, s[normal]);
    add_sums(device, g + at_.down_bias,
             add_product_gradients(device, {n, f_, h_}, g + at_.down, factor(s[w_active], n, f_),
                                   factor(s[w_dy], n, h_), values(s[w_dy])));
    add_sums(device, g + at_.up_bias,
             add_product_gradients(device, {n, h_, f_}, g + at_.up, factor(s[w_normal2], n, h_),
                                   factor(s[w_dup], n, f_), values(s[w_dup])));
    add_sums(device, g + at_.out_bias,
             add_product_gradients(device, {n, c_, h_}, g + at_.out, factor(s[w_context], n, c_),
                                   factor(s[w_dx1], n, h_), values(s[w_dx1])));
    add_qkv_sums(device, g + at_.qkv_bias,
                 add_product_gradients(device, {n, h_, 3 * c_}, g + at_.qkv, factor(s[w_normal1], n, h_),
                                       factor(s[w_dqkv], n, 3 * c_), values(s[w_dqkv])));
    device.add(g + at_.gain1, s[w_norms].data(), 2 * h_);
    device.add(g + at_.gain2, s[w_norms].data() + 2 * h_, 2 * h_);
    saved.tensors.clear();
  }

 private:
  using Products = BlockProducts<T>;
  using Gradient = typename Products::Gradient;

  std::int64_t rows(const tensor::Tensor& of_floats) const { return products_.rows(of_floats); }
  tensor::Tensor wide(const tensor::Tensor& like, std::int64_t width) const { return products_.wide(like, width); }
  tensor::Tensor inner_like(const tensor::Tensor& like, std::int64_t width) const {
    return products_.inner(like, width);
  }
  static T* values(tensor::Tensor& of_t) { return Products::values(of_t); }
  static const T* values(const tensor::Tensor& of_t) { return Products::values(of_t); }
  static GemmOperand factor(const tensor::Tensor& of_t, std::int64_t rows, std::int64_t width) {
    return Products::factor(of_t, rows, width);
  }
  static const float* as_read(const tensor::Tensor& floats) { return floats.data(); }

  AttentionShape shape(const tensor::Tensor& of_floats) const {
    return {of_floats.samples(), sequence_, heads_, head_size_, causal_};
  }

  /// Returns the gradient of the norm's output, summed over the ranks, from that of a product of it. It is of the
  /// rank's tokens.
  tensor::Tensor into_backward(CudaDevice& device, const tensor::Tensor& like, const tensor::Tensor& gradient,
                               std::int64_t to, const float* weight) const {
    tensor::Tensor out = products_.into_backward(device, like, gradient, to, weight);
    products_.sum_tokens(out);
    return out;
  }

  // ---- halves of the block

  void attend(CudaDevice& device, const float* p, std::vector<tensor::Tensor>& s) const {
    s[mean1] = products_.own_wide(s[x], 1), s[inverse1] = products_.own_wide(s[x], 1);
    s[normal1] = products_.own_inner(s[x], h_);
    layer_norm(device.stream(), values(s[normal1]), s[mean1].data(), s[inverse1].data(), as_read(s[x]), p + at_.gain1,
               p + at_.shift1, products_.own_rows(s[x]), h_);
    {
      tensor::Tensor room;
      s[qkv] = products_.into(device, s[x], products_.all_tokens(device, s[normal1], room), 3 * c_, p + at_.qkv,
                              p + at_.qkv_bias);
    }
    s[context] = inner_like(s[x], c_);
    s[logsumexp] = wide(s[x], heads_);
    run_attention(device, values(s[context]), s[logsumexp].data(), values(std::as_const(s[qkv])), shape(s[x]));
    s[x1] = products_.out_of(device, s[x], s[context], c_, p + at_.out, p + at_.out_bias);
  }

  tensor::Tensor feed_forward(CudaDevice& device, const float* p, std::vector<tensor::Tensor>& s) const {
    const auto [in, mean, inverse] = make_norm2(s);
    // x1 += x, and its norm, in one pass over both.
    add_layer_norm(device.stream(), s[x1].data(), in, mean, inverse, as_read(s[x1]), as_read(s[x]), p + at_.gain2,
                   p + at_.shift2, products_.own_rows(s[x1]), h_);
    activate(device, p, s);
    tensor::Tensor y = products_.out_of(device, s[x1], s[active], f_, p + at_.down, p + at_.down_bias);
    device.add(y.data(), s[x1].data(), y.size());
    return y;
  }

  /// The output of the second norm and its rows' factors.
  struct Norm2 {
    T* out;
    float *mean, *inverse;
  };
  Norm2 make_norm2(std::vector<tensor::Tensor>& s) const {
    s[mean2] = products_.own_wide(s[x1], 1), s[inverse2] = products_.own_wide(s[x1], 1);
    s[normal2] = products_.own_inner(s[x1], h_);
    return {values(s[normal2]), s[mean2].data(), s[inverse2].data()};
  }

  void activate(CudaDevice& device, const float* p, std::vector<tensor::Tensor>& s) const {
    s[up] = inner_like(s[x1], f_), s[active] = inner_like(s[x1], f_);
    tensor::Tensor room;
    const tensor::Tensor& in = products_.all_tokens(device, s[normal2], room);
    product_gelu(device, {rows(s[x1]), h_, f_}, values(s[up]), values(s[active]), factor(in, rows(s[x1]), h_),
                 Products::weights(s[x1], p + at_.up, h_, f_), p + at_.up_bias);
  }

  /// Returns the gradient of x1; `dup` becomes that of the activation's input.
  tensor::Tensor feed_forward_backward(CudaDevice& device, const float* p, std::vector<tensor::Tensor>& s,
                                       const Gradient& of_y, tensor::Tensor& norms, tensor::Tensor& dup) const {
    const tensor::Tensor& dy = of_y.floats();
    dup = inner_like(dy, f_);
    product_gelu_backward(device, {rows(dy), f_, h_}, values(dup), values(std::as_const(s[up])), of_y.factor(),
                          Products::weights(dy, p + at_.down, f_, h_));
    s[up].release();
    const tensor::Tensor dnormal = into_backward(device, dy, dup, f_, p + at_.up);
    tensor::Tensor dx1 = dy.empty_like();
    norm_backward(device, dx1.data(), dy, norms.data() + 2 * h_, dnormal, s[x1], s[mean2], s[inverse2], p + at_.gain2);
    s[x1].release();
    return dx1;
  }

  tensor::Tensor attend_backward(CudaDevice& device, const float* p, std::vector<tensor::Tensor>& s,
                                 const Gradient& of_x1, tensor::Tensor& norms, tensor::Tensor& dqkv,
                                 bool wanted) const {
    const tensor::Tensor& dx1 = of_x1.floats();
    dqkv = inner_like(dx1, 3 * c_);
    {
      const tensor::Tensor dcontext = products_.out_of_backward(device, of_x1, c_, p + at_.out);
      run_attention_backward(device, values(dqkv), values(dcontext), values(std::as_const(s[context])),
                             s[logsumexp].data(), values(std::as_const(s[qkv])), shape(dx1));
    }
    s[logsumexp].release(), s[qkv].release();
    const tensor::Tensor dnormal = into_backward(device, dx1, dqkv, 3 * c_, p + at_.qkv);
    tensor::Tensor dx;
    if (wanted) dx = dx1.empty_like();
    norm_backward(device, dx.data(), dx1, norms.data(), dnormal, s[x], s[mean1], s[inverse1], p + at_.gain1);
    return dx;
  }

  /// Writes the input's gradient + `more` to `to`, unless it is null; gain's and shift's are added at `norms`.
  void norm_backward(CudaDevice& device, float* to, const tensor::Tensor& more, float* norms,
                     const tensor::Tensor& gradient, const tensor::Tensor& in, const tensor::Tensor& mean,
                     const tensor::Tensor& inverse, const float* gain) const {
    layer_norm_backward(device.stream(), to, more.data(), norms, norms + h_, gradient.data(), in.data(), mean.data(),
                        inverse.data(), gain,
                        device.context().workspace(layer_norm_backward_scratch(products_.own_rows(in), h_)),
                        products_.own_rows(in), h_);
  }

  static void add_sums(CudaDevice& device, float* to, const tensor::Tensor& sums) {
    device.add(to, sums.data(), sums.size());
  }
  /// A key's bias has a gradient of exactly zero: it adds one amount to all scores of a query.
  void add_qkv_sums(CudaDevice& device, float* to, const tensor::Tensor& sums) const {
    device.add(to, sums.data(), c_);
    device.add(to + 2 * c_, sums.data() + 2 * c_, c_);
  }

  std::int64_t h_, heads_, head_size_, c_, f_, sequence_;
  bool causal_;
  layers::TransformerLayout at_;
  Products products_;
};

}  // namespace

template <class T>
std::unique_ptr<layers::LayerKernel> make_transformer(const ModelLayer& layer,
                                                      std::unique_ptr<layers::LayerKernel> on_processor) {
  const AtHand all{layer.size("heads"), layer.size("feed_forward"), {}};
  return std::make_unique<Transformer<T>>(layer, all, std::move(on_processor));
}
template <class T>
std::unique_ptr<layers::LayerKernel> make_sharded_transformer(const ModelLayer& layer,
                                                              const layers::LayerSharding& sharding,
                                                              std::unique_ptr<layers::LayerKernel> on_processor) {
  const layers::TensorParallelGroup& partners = sharding.partners;
  const AtHand part{partners.local_range(layer.size("heads")).count,
                    partners.local_range(layer.size("feed_forward")).count, partners};
  return std::make_unique<Transformer<T>>(layer, part, std::move(on_processor));
}

template std::unique_ptr<layers::LayerKernel> make_transformer<float>(const ModelLayer&,
                                                                      std::unique_ptr<layers::LayerKernel>);
template std::unique_ptr<layers::LayerKernel> make_transformer<Bf16>(const ModelLayer&,
                                                                     std::unique_ptr<layers::LayerKernel>);
template std::unique_ptr<layers::LayerKernel> make_sharded_transformer<float>(const ModelLayer&,
                                                                              const layers::LayerSharding&,
                                                                              std::unique_ptr<layers::LayerKernel>);
template std::unique_ptr<layers::LayerKernel> make_sharded_transformer<Bf16>(const ModelLayer&,
                                                                             const layers::LayerSharding&,
                                                                             std::unique_ptr<layers::LayerKernel>);

}  // namespace pipedeck::runtime::cuda
