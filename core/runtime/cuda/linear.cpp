// SPDX-License-Identifier: Apache-2.0
// y = activation(x W + b), at each of `sequence` positions; b is optional. The weights of a tied head are the table of
// the embedding's words: y = x E^T, with a row of E for each output.
#include <utility>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/cuda/gpu_ops.hpp"
#include "core/runtime/cuda/layers.hpp"
#include "core/runtime/cuda/products.hpp"
#include "core/runtime/layers/product_layer.hpp"

namespace pipedeck::runtime::cuda {
namespace {

class LinearPasses {
 public:
  /// `whole`: no other layer takes the gradient of the output, which may be rounded for the products then.
  LinearPasses(const ModelLayer& layer, bool bias, bool whole)
      : in_(layer.size("in")),
        out_(layer.size("out")),
        sequence_(layer.size("sequence")),
        bias_(bias),
        whole_(whole),
        tied_(is_tied(layer)) {}

  std::int64_t parameters() const { return weights() + (bias_ ? out_ : 0); }
  std::int64_t table_parameters() const { return tied_ ? weights() : 0; }
  layers::ProductSize size() const { return {sequence_ * in_, sequence_ * out_, in_, weights()}; }

  tensor::Tensor forward(const tensor::Tensor& input, const float* parameters) const {
    return forward(input, parameters, out_);
  }
  /// Gives rows that begin at multiples of 16 bytes, which the loss takes.
  tensor::Tensor forward_to_loss(const tensor::Tensor& input, const float* parameters) const {
    return forward(input, parameters, row_pitch(out_, Element::fp32));
  }

  bool takes_narrow_gradient() const { return whole_; }
  /// Returns the gradient of the output as both backward products take it. The loss may have given it so: no width of
  /// floats is that of 16-bit values.
  tensor::Tensor for_products(tensor::Tensor output_gradient) const {
    constexpr std::int64_t in_a_float = sizeof(float) / sizeof(Bf16);
    if (!rounds(output_gradient) || output_gradient.width() == sequence_ * rounded_pitch() / in_a_float)
      return output_gradient;
    const MatrixRows from{output_gradient.samples() * sequence_, out_, output_gradient.width() / sequence_};
    tensor::Tensor made(output_gradient.memory(), output_gradient.samples(), sequence_ * rounded_pitch() / in_a_float);
    auto* const to = reinterpret_cast<Bf16*>(made.data());
    const float* const floats = std::as_const(output_gradient).data();
    const cudaStream_t stream = CudaDevice::of(made).stream();
    if (from.stride == rounded_pitch())
      convert(stream, to, floats, from.rows * from.stride);
    else
      convert_rows(stream, to, rounded_pitch(), floats, from.stride, from.rows, from.width);
    return made;
  }

  tensor::Tensor backward_input(const tensor::Tensor& output_gradient, const float* parameters) const {
    tensor::Tensor gradient(output_gradient.memory(), output_gradient.samples(), sequence_ * in_);
    CudaDevice& device = CudaDevice::of(gradient);
    const GemmOperand from = output_factor(output_gradient), weights = weights_factor(gradient, parameters);
    if (tied_)
      product(device, table_shape(gradient), gradient.data(), from, weights, nullptr);
    else
      product_backward(device, shape(gradient), gradient.data(), from, weights);
    return gradient;
  }

  void backward_weight(const tensor::Tensor& input, const tensor::Tensor& output_gradient, float* gradients) const {
    CudaDevice& device = CudaDevice::of(input);
    if (tied_)
      return add_product_gradient(device, table_shape(input), gradients, output_factor(output_gradient),
                                  input_factor(input));
    if (!bias_)
      return add_product_gradient(device, shape(input), gradients, input_factor(input), output_factor(output_gradient));
    const auto add_both = [&](const auto* values) {
      ProductShape shape = this->shape(input);
      shape.out_stride = output_rows(output_gradient).stride;
      const tensor::Tensor sums =
          add_product_gradients(device, shape, gradients, input_factor(input), output_factor(output_gradient), values);
      device.add(gradients + weights(), sums.data(), out_);
    };
    if (rounds(output_gradient))
      add_both(reinterpret_cast<const Bf16*>(output_gradient.data()));
    else
      add_both(output_gradient.data());
  }

 private:
  tensor::Tensor forward(const tensor::Tensor& input, const float* parameters, std::int64_t stride) const {
    tensor::Tensor output(input.memory(), input.samples(), sequence_ * stride);
    if (tied_) {
      ProductShape shape = table_shape(input);
      shape.in_stride = stride;
      product_backward(CudaDevice::of(input), shape, output.data(), input_factor(input),
                       weights_factor(input, parameters));
      return output;
    }
    ProductShape shape = this->shape(input);
    shape.out_stride = stride;
    product(CudaDevice::of(input), shape, output.data(), input_factor(input), weights_factor(input, parameters),
            bias_ ? parameters + weights() : nullptr);
    return output;
  }
  std::int64_t weights() const { return in_ * out_; }
  ProductShape shape(const tensor::Tensor& of) const { return {of.samples() * sequence_, in_, out_}; }
  /// Returns the shape of a product through the table. Its passes are those of x E^T turned round: forward is the
  /// input's gradient of a product with E, and the input's gradient is that product.
  ProductShape table_shape(const tensor::Tensor& of) const { return {of.samples() * sequence_, out_, in_}; }
  /// True if for_products rounds a gradient to 16 bits.
  bool rounds(const tensor::Tensor& of) const {
    return whole_ && CudaDevice::of(of).context().element() == Element::bf16;
  }
  std::int64_t rounded_pitch() const { return row_pitch(out_, Element::bf16); }
  /// Returns the rows of a gradient that for_products returned, whose distance follows from the tensor's width.
  MatrixRows output_rows(const tensor::Tensor& of) const {
    return {of.samples() * sequence_, out_, rounds(of) ? rounded_pitch() : of.width() / sequence_};
  }
  GemmOperand output_factor(const tensor::Tensor& of) const {
    if (rounds(of)) return {of.memory(), reinterpret_cast<const Bf16*>(of.data()), output_rows(of)};
    return {of.memory(), of.data(), output_rows(of)};
  }
  GemmOperand input_factor(const tensor::Tensor& of) const {
    return {of.memory(), of.data(), {of.samples() * sequence_, in_}};
  }
  GemmOperand weights_factor(const tensor::Tensor& beside, const float* parameters) const {
    const MatrixRows rows = tied_ ? MatrixRows{out_, in_} : MatrixRows{in_, out_};
    return GemmOperand::of_weights(beside.memory(), parameters, rows);
  }

  std::int64_t in_, out_, sequence_;
  bool bias_, whole_, tied_;
};

std::unique_ptr<layers::LayerKernel> make(const ModelLayer& layer, layers::Activation activation, bool bias,
                                          bool whole) {
  auto passes = std::make_unique<LinearPasses>(layer, bias, whole);
  const layers::ProductSize size = passes->size();
  return std::make_unique<layers::MatmulLayer<LinearPasses, GpuOps>>(size, activation, std::move(passes));
}

}  // namespace

std::unique_ptr<layers::LayerKernel> make_linear(const ModelLayer& layer, std::unique_ptr<layers::LayerKernel>) {
  return make(layer, static_cast<layers::Activation>(layer.size("activation")), layer.size("bias") == 1, true);
}
std::unique_ptr<layers::LayerKernel> make_linear_weights(const ModelLayer& layer,
                                                         std::unique_ptr<layers::LayerKernel>) {
  return make(layer, layers::Activation::none, false, false);
}

}  // namespace pipedeck::runtime::cuda
