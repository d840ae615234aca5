// SPDX-License-Identifier: Apache-2.0
// Roofline times (roofline.hpp) as formulas that users can check.
#pragma once

#include <string>

#include "core/analytic/times/roofline.hpp"

namespace pipedeck::analytic::times {

/// Returns the formula of a matmul's forward pass: "412.3 G operations / (312 TFLOP/s x 77 % x 93.12 % of its shape) =
/// 1.843 ms", or the memory time of its bytes if that is longer.
std::string time_formula(const GemmCount& product, const DeviceRate& device);

/// Returns the formula of the backward pass for the input's gradient and, separately, for the weights' gradient.
/// Without weights, all of it is for the inputs, with `product.backward` matmuls: "2 x 68.72 G operations / (312
/// TFLOP/s x 77 % x 36 %) = 1.589 ms".
std::string input_gradient_formula(const GemmCount& product, const DeviceRate& device);
std::string weight_gradient_formula(const GemmCount& product, const DeviceRate& device);

/// Returns the formula of a pass's traffic in addition to matmuls, and of its launches. The backward pass moves twice
/// as much, and the attention weights once more if they are recomputed.
std::string rest_formula(const LayerCount& layer, const DeviceRate& device);
std::string backward_rest_formula(const LayerCount& layer, const DeviceRate& device);

}  // namespace pipedeck::analytic::times
