// SPDX-License-Identifier: Apache-2.0
// y = activation(x W + b), at each of `sequence` positions alike.
#include "core/runtime/cpu/activation.hpp"
#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/layers.hpp"
#include "core/runtime/cuda/products.hpp"

namespace pipedeck::cuda {
namespace {

class Linear final : public CudaLayer {
 public:
  Linear(const ModelLayer& layer, std::unique_ptr<LayerKernel> on_processor)
      : CudaLayer(std::move(on_processor)),
        in_(layer.size("in")),
        out_(layer.size("out")),
        sequence_(layer.size("sequence")),
        activation_(static_cast<Activation>(layer.size("activation"))) {}

  /// Saves input and, where there is an activation, what goes into it.
  Tensor forward(Tensor input, std::span<const float> parameters, Saved& saved) const override {
    CudaDevice& device = CudaDevice::of(input);
    Tensor linear(input.memory(), input.samples(), sequence_ * out_);
    product(device, shape(input), linear.data(), input.data(), parameters.data(), parameters.data() + in_ * out_);
    saved.tensors.push_back(std::move(input));
    if (activation_ == Activation::none) return linear;
    Tensor output = linear.like();
    (activation_ == Activation::gelu ? gelu<float> : relu<float>)(device.stream(), output.data(), linear.data(),
                                                                  output.size());
    saved.tensors.push_back(std::move(linear));
    return output;
  }

  Tensor backward_input(Tensor output_gradient, std::span<const float> parameters, Saved& saved,
                        bool wanted) const override {
    CudaDevice& device = CudaDevice::of(output_gradient);
    if (activation_ != Activation::none) {
      (activation_ == Activation::gelu ? gelu_backward<float>
                                       : relu_backward<float>)(device.stream(), output_gradient.data(),
                                                               saved.tensors[1].data(), output_gradient.size());
      saved.tensors.pop_back();
    }
    Tensor gradient;
    if (wanted) {
      gradient = Tensor(output_gradient.memory(), output_gradient.samples(), sequence_ * in_);
      product_backward(device, shape(output_gradient), gradient.data(), output_gradient.data(), parameters.data());
    }
    saved.tensors.push_back(std::move(output_gradient));
    return gradient;
  }

  void backward_weight(Saved& saved, std::span<float> gradients) const override {
    const Tensor &input = saved.tensors[0], &output_gradient = saved.tensors[1];
    CudaDevice& device = CudaDevice::of(input);
    add_product_gradient(device, shape(input), gradients.data(), input.data(), output_gradient.data());
    add_bias_gradient(device, gradients.data() + in_ * out_, output_gradient.data(), shape(input).rows, out_);
    saved.tensors.clear();
  }

 private:
  ProductShape shape(const Tensor& of) const { return {of.samples() * sequence_, in_, out_}; }

  std::int64_t in_, out_, sequence_;
  Activation activation_;
};

}  // namespace

std::unique_ptr<LayerKernel> make_linear(const ModelLayer& layer, std::unique_ptr<LayerKernel> on_processor) {
  return std::make_unique<Linear>(layer, std::move(on_processor));
}

}  // namespace pipedeck::cuda
