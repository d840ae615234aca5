// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/activation.hpp"

#include "core/runtime/cpu/kernels.hpp"

namespace pipedeck::runtime::cpu {

tensor::Tensor activate(layers::Activation activation, const tensor::Tensor& in) {
  tensor::Tensor out = in.empty_like();
  (activation == layers::Activation::gelu ? gelu : relu)(out.data(), in.data(), in.size());
  return out;
}

void activate_backward(layers::Activation activation, tensor::Tensor& gradient, const tensor::Tensor& in) {
  (activation == layers::Activation::gelu ? gelu_backward : relu_backward)(gradient.data(), in.data(), gradient.size());
}

}  // namespace pipedeck::runtime::cpu
