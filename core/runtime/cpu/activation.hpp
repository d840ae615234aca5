// SPDX-License-Identifier: Apache-2.0
// The activation at the end of a layer.
#pragma once

#include <cstdint>

#include "core/runtime/tensor.hpp"

namespace pipedeck {

/// An activation, numbered as in model files.
enum class Activation { none, relu, gelu };

/// Returns the activation of `in` in a new tensor.
Tensor activate(Activation activation, const Tensor& in);
/// Replaces `gradient` by that of the activation's input.
void activate_backward(Activation activation, Tensor& gradient, const Tensor& in);

}  // namespace pipedeck
