// SPDX-License-Identifier: Apache-2.0
// What a layer may do to its values at last.
#pragma once

#include <cstdint>

#include "core/runtime/tensor.hpp"

namespace pipedeck {

/// As model files number them.
enum class Activation { none, relu, gelu };

/// Of `in`, in a tensor of its own.
Tensor activate(Activation activation, const Tensor& in);
/// gradient becomes that of what went in.
void activate_backward(Activation activation, Tensor& gradient, const Tensor& in);

}  // namespace pipedeck
