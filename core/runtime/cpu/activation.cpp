// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/activation.hpp"

#include "core/runtime/cpu/kernels.hpp"

namespace pipedeck {

Tensor activate(Activation activation, const Tensor& in) {
  Tensor out = in.like();
  (activation == Activation::gelu ? gelu : relu)(out.data(), in.data(), in.size());
  return out;
}

void activate_backward(Activation activation, Tensor& gradient, const Tensor& in) {
  (activation == Activation::gelu ? gelu_backward : relu_backward)(gradient.data(), in.data(), gradient.size());
}

}  // namespace pipedeck
