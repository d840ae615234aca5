// SPDX-License-Identifier: Apache-2.0
// Pre-norm transformer block (GPT-2; causal or not), with the parameters of the processor's in its order:
//   x1 = x + attention(norm1(x) Wqkv + bqkv) Wo + bo;   y = x1 + gelu(norm2(x1) W1 + b1) W2 + b2
#include <array>
#include <iterator>

#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/layers.hpp"
#include "core/runtime/cuda/products.hpp"

namespace pipedeck::cuda {
namespace {

/// Where each parameter begins; gradients lie alike. `h` is the model's width, `f` the feed-forward's.
struct Offsets {
  std::int64_t gain1, shift1, qkv, qkv_bias, out, out_bias, gain2, shift2, up, up_bias, down, down_bias;
  Offsets(std::int64_t h, std::int64_t f) {
    std::int64_t next = 0;
    const auto place = [&](std::int64_t floats) { return next += floats, next - floats; };
    gain1 = place(h), shift1 = place(h);
    qkv = place(3 * h * h), qkv_bias = place(3 * h);
    out = place(h * h), out_bias = place(h);
    gain2 = place(h), shift2 = place(h);
    up = place(h * f), up_bias = place(f);
    down = place(f * h), down_bias = place(h);
  }
};

/// Saved by forward, in this order.
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
/// Left by backward_input for backward_weight: each product's input and the gradient of its result.
enum WeightSaved : std::size_t { w_normal1, w_dqkv, w_context, w_dx1, w_normal2, w_dup, w_active, w_dy, w_norms };

class Transformer final : public CudaLayer {
 public:
  Transformer(const ModelLayer& layer, std::unique_ptr<LayerKernel> on_processor)
      : CudaLayer(std::move(on_processor)),
        h_(layer.size("hidden")),
        f_(layer.size("feed_forward")),
        heads_(layer.size("heads")),
        sequence_(layer.size("sequence")),
        causal_(layer.size("causal") == 1),
        at_(h_, f_) {}

  Tensor forward(Tensor input, std::span<const float> parameters, Saved& saved) const override {
    CudaDevice& device = CudaDevice::of(input);
    const float* p = parameters.data();
    saved.tensors.resize(forward_count);
    auto& s = saved.tensors;
    s[x] = std::move(input);
    normalise(device, s[x], p + at_.gain1, p + at_.shift1, s[mean1], s[inverse1], s[normal1]);
    s[qkv] = linear(device, s[normal1], h_, 3 * h_, p + at_.qkv, p + at_.qkv_bias);
    s[context] = s[x].like();
    s[logsumexp] = wide(s[x], heads_);
    attention(device.stream(), s[context].data(), s[logsumexp].data(), s[qkv].data(), shape(s[x]));
    s[x1] = linear(device, s[context], h_, h_, p + at_.out, p + at_.out_bias);
    add_layer_norm_of(device, s, p);
    s[up] = linear(device, s[normal2], h_, f_, p + at_.up, p + at_.up_bias);
    s[active] = s[up].like();
    gelu(device.stream(), s[active].data(), s[up].data(), s[up].size());
    Tensor y = linear(device, s[active], f_, h_, p + at_.down, p + at_.down_bias);
    device.add(y.data(), s[x1].data(), y.size());
    return y;
  }

  Tensor backward_input(Tensor dy, std::span<const float> parameters, Saved& saved, bool wanted) const override {
    CudaDevice& device = CudaDevice::of(dy);
    auto& s = saved.tensors;
    Tensor norms = Tensor::zeros(dy.memory(), 1, 4 * h_);  // gain1, shift1, gain2, shift2
    Tensor dup, dqkv;
    Tensor dx1 = feed_forward_backward(device, parameters.data(), s, dy, norms, dup);
    Tensor dx = attend_backward(device, parameters.data(), s, dx1, norms, dqkv, wanted);
    std::array<Tensor, 9> left{std::move(s[normal1]), std::move(dqkv),       std::move(s[context]),
                               std::move(dx1),        std::move(s[normal2]), std::move(dup),
                               std::move(s[active]),  std::move(dy),         std::move(norms)};
    s.assign(std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
    return dx;
  }

  void backward_weight(Saved& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    CudaDevice& device = CudaDevice::of(s[w_dy]);
    float* g = gradients.data();
    const std::int64_t n = rows(s[w_dy]);
    add_product_gradient(device, {n, f_, h_}, g + at_.down, s[w_active].data(), s[w_dy].data());
    add_bias_gradient(device, g + at_.down_bias, s[w_dy].data(), n, h_);
    add_product_gradient(device, {n, h_, f_}, g + at_.up, s[w_normal2].data(), s[w_dup].data());
    add_bias_gradient(device, g + at_.up_bias, s[w_dup].data(), n, f_);
    add_product_gradient(device, {n, h_, h_}, g + at_.out, s[w_context].data(), s[w_dx1].data());
    add_bias_gradient(device, g + at_.out_bias, s[w_dx1].data(), n, h_);
    add_product_gradient(device, {n, h_, 3 * h_}, g + at_.qkv, s[w_normal1].data(), s[w_dqkv].data());
    add_qkv_bias(device, g + at_.qkv_bias, s[w_dqkv]);
    device.add(g + at_.gain1, s[w_norms].data(), 2 * h_);
    device.add(g + at_.gain2, s[w_norms].data() + 2 * h_, 2 * h_);
    saved.tensors.clear();
  }

 private:
  std::int64_t rows(const Tensor& tensor) const { return tensor.samples() * sequence_; }
  Tensor wide(const Tensor& like, std::int64_t width) const {
    return Tensor(like.memory(), like.samples(), sequence_ * width);
  }
  AttentionShape shape(const Tensor& of) const { return {of.samples(), sequence_, heads_, h_ / heads_, causal_}; }

  /// in (rows x from) * weight (from x to) + bias.
  Tensor linear(CudaDevice& device, const Tensor& in, std::int64_t from, std::int64_t to, const float* weight,
                const float* bias) const {
    Tensor out = wide(in, to);
    product(device, {rows(in), from, to}, out.data(), in.data(), weight, bias);
    return out;
  }

  /// The gradient of linear's input, from its output's.
  Tensor linear_backward(CudaDevice& device, const Tensor& gradient, std::int64_t from, std::int64_t to,
                         const float* weight) const {
    Tensor out = wide(gradient, from);
    product_backward(device, {rows(gradient), from, to}, out.data(), gradient.data(), weight);
    return out;
  }

  void normalise(CudaDevice& device, const Tensor& in, const float* gain, const float* shift, Tensor& mean,
                 Tensor& inverse, Tensor& out) const {
    mean = wide(in, 1), inverse = wide(in, 1), out = in.like();
    layer_norm(device.stream(), out.data(), mean.data(), inverse.data(), in.data(), gain, shift, rows(in), h_);
  }

  /// x1 += x, and its norm, in one go over both.
  void add_layer_norm_of(CudaDevice& device, std::vector<Tensor>& s, const float* p) const {
    s[mean2] = wide(s[x1], 1), s[inverse2] = wide(s[x1], 1), s[normal2] = s[x1].like();
    add_layer_norm(device.stream(), s[x1].data(), s[normal2].data(), s[mean2].data(), s[inverse2].data(), s[x1].data(),
                   s[x].data(), p + at_.gain2, p + at_.shift2, rows(s[x1]), h_);
  }

  /// The gradient of x1; `dup` becomes that of the activation's input.
  Tensor feed_forward_backward(CudaDevice& device, const float* p, std::vector<Tensor>& s, const Tensor& dy,
                               Tensor& norms, Tensor& dup) const {
    dup = linear_backward(device, dy, f_, h_, p + at_.down);
    gelu_backward(device.stream(), dup.data(), s[up].data(), dup.size());
    s[up].release();
    const Tensor dnormal = linear_backward(device, dup, h_, f_, p + at_.up);
    Tensor dx1 = dy.slice(0, dy.samples(), dy.memory());
    norm_backward(device, dx1.data(), norms.data() + 2 * h_, dnormal, s[x1], s[mean2], s[inverse2], p + at_.gain2);
    s[x1].release();
    return dx1;
  }

  Tensor attend_backward(CudaDevice& device, const float* p, std::vector<Tensor>& s, const Tensor& dx1, Tensor& norms,
                         Tensor& dqkv, bool wanted) const {
    dqkv = wide(dx1, 3 * h_);
    {
      const Tensor dcontext = linear_backward(device, dx1, h_, h_, p + at_.out);
      attention_backward(device.stream(), dqkv.data(), dcontext.data(), s[context].data(), s[logsumexp].data(),
                         s[qkv].data(), device.context().workspace(attention_backward_scratch(shape(dx1))), shape(dx1));
    }
    s[logsumexp].release(), s[qkv].release();
    const Tensor dnormal = linear_backward(device, dqkv, h_, 3 * h_, p + at_.qkv);
    Tensor dx;
    if (wanted) dx = dx1.slice(0, dx1.samples(), dx1.memory());
    norm_backward(device, dx.data(), norms.data(), dnormal, s[x], s[mean1], s[inverse1], p + at_.gain1);
    return dx;
  }

  /// `to` += the input's gradient, unless it is null; gain's and shift's are added at `norms`.
  void norm_backward(CudaDevice& device, float* to, float* norms, const Tensor& gradient, const Tensor& in,
                     const Tensor& mean, const Tensor& inverse, const float* gain) const {
    layer_norm_backward(device.stream(), to, norms, norms + h_, gradient.data(), in.data(), mean.data(), inverse.data(),
                        gain, device.context().workspace(layer_norm_backward_scratch(rows(in), h_)), rows(in), h_);
  }

  /// A key's bias has a gradient of exactly zero: it adds the same to all scores of a query.
  void add_qkv_bias(CudaDevice& device, float* to, const Tensor& gradient) const {
    Tensor sums = Tensor::zeros(gradient.memory(), 1, 3 * h_);
    add_bias_gradient(device, sums.data(), gradient.data(), rows(gradient), 3 * h_);
    device.add(to, sums.data(), h_);
    device.add(to + 2 * h_, sums.data() + 2 * h_, h_);
  }

  std::int64_t h_, f_, heads_, sequence_;
  bool causal_;
  Offsets at_;
};

}  // namespace

std::unique_ptr<LayerKernel> make_transformer(const ModelLayer& layer, std::unique_ptr<LayerKernel> on_processor) {
  return std::make_unique<Transformer>(layer, std::move(on_processor));
}

}  // namespace pipedeck::cuda
