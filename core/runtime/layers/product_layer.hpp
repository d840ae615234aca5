// SPDX-License-Identifier: Apache-2.0
// y = activation(product of x and weights + bias): the common part of a linear layer and a convolution. `Passes`
// implements the product with its bias: parameters(), forward, backward_input and backward_weight, as
// ConvolutionPasses. It may have forward_to_loss (SavedTensors::feeds_loss), and for_products, which changes the
// output's gradient into what the backward passes take. `Ops` is the device's operations (cpu/cpu_ops.hpp).
#pragma once

#include <cmath>
#include <memory>
#include <utility>

#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/shapes.hpp"

namespace pipedeck::runtime::layers {

/// The widths and weights of a product, in floats per sample; `inputs` is the number of inputs summed for one output.
struct ProductSize {
  std::int64_t input_width, output_width, inputs, weights;
};

/// Returns the deviation of initial weights that preserves the variance from layer to layer (He et al., 2015, if the
/// activation halves it).
inline float product_deviation(std::int64_t inputs, Activation activation) {
  return std::sqrt((activation == Activation::none ? 1.0f : 2.0f) / static_cast<float>(inputs));
}

template <class Passes, class Ops>
class MatmulLayer final : public LayerKernel {
 public:
  MatmulLayer(const ProductSize& size, Activation activation, std::unique_ptr<Passes> passes)
      : LayerKernel(size.input_width, size.output_width, passes->parameters()),
        size_(size),
        activation_(activation),
        passes_(std::move(passes)) {}

  std::int64_t table_parameters() const override {
    if constexpr (requires { passes_->table_parameters(); }) return passes_->table_parameters();
    return 0;
  }
  bool takes_narrow_gradient() const override {
    if constexpr (requires { passes_->takes_narrow_gradient(); })
      return activation_ == Activation::none && passes_->takes_narrow_gradient();
    return false;
  }

  void initialise(std::span<float> parameters, Random random) const override {
    const float deviation = product_deviation(size_.inputs, activation_);
    const auto weights = static_cast<std::size_t>(size_.weights);
    for (float& value : parameters.first(weights)) value = deviation * random.normal();
    for (float& value : parameters.subspan(weights)) value = 0;
  }

  /// Saves the input and, with an activation, the activation's input.
  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters, SavedTensors& saved) const override {
    tensor::Tensor linear = multiply(input, parameters.data(), saved.feeds_loss);
    saved.tensors.push_back(std::move(input));
    if (activation_ == Activation::none) return linear;
    tensor::Tensor output = Ops::activate(activation_, linear);
    saved.tensors.push_back(std::move(linear));
    return output;
  }

  tensor::Tensor backward_input(tensor::Tensor output_gradient, std::span<const float> parameters, SavedTensors& saved,
                                bool wanted) const override {
    if (activation_ != Activation::none) {
      Ops::activate_backward(activation_, output_gradient, saved.tensors[1]);
      saved.tensors.pop_back();
    }
    if constexpr (requires { passes_->for_products(std::move(output_gradient)); })
      output_gradient = passes_->for_products(std::move(output_gradient));
    tensor::Tensor gradient;
    if (wanted) gradient = passes_->backward_input(output_gradient, parameters.data());
    saved.tensors.push_back(std::move(output_gradient));
    return gradient;
  }

  void backward_weight(SavedTensors& saved, std::span<float> gradients) const override {
    passes_->backward_weight(saved.tensors[0], saved.tensors[1], gradients.data());
    saved.tensors.clear();
  }

 private:
  tensor::Tensor multiply(const tensor::Tensor& input, const float* parameters, bool feeds_loss) const {
    if constexpr (requires { passes_->forward_to_loss(input, parameters); })
      if (feeds_loss && activation_ == Activation::none) return passes_->forward_to_loss(input, parameters);
    return passes_->forward(input, parameters);
  }

  ProductSize size_;
  Activation activation_;
  std::unique_ptr<Passes> passes_;
};

}  // namespace pipedeck::runtime::layers
