// SPDX-License-Identifier: Apache-2.0
// The activation at the end of a layer.
#pragma once

#include <cstdint>

#include "core/runtime/layers/shapes.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cpu {

/// Returns the activation of `in` in a new tensor.
tensor::Tensor activate(layers::Activation activation, const tensor::Tensor& in);
/// Replaces `gradient` by that of the activation's input.
void activate_backward(layers::Activation activation, tensor::Tensor& gradient, const tensor::Tensor& in);

}  // namespace pipedeck::runtime::cpu
