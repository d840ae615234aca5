// SPDX-License-Identifier: Apache-2.0
// Times of the roofline (roofline.hpp) as people can check them: what is divided by what.
#pragma once

#include <string>

#include "core/analytic/roofline.hpp"

namespace pipedeck {

/// Of the forward pass of one product: "412.3 G operations / (312 TFLOP/s x 77 % x 93.12 % of its shape) = 1.843 ms",
/// or its bytes through the memory where these take longer.
std::string time_formula(const CountedProduct& product, const DeviceRate& device);

/// Of the backward pass, for what comes in and for the weights. Without weights all of it is for what comes in, as
/// often as `product.backward` says: "2 x 68.72 G operations / (312 TFLOP/s x 77 % x 36 %) = 1.589 ms".
std::string input_gradient_formula(const CountedProduct& product, const DeviceRate& device);
std::string weight_gradient_formula(const CountedProduct& product, const DeviceRate& device);

/// Of what a pass moves beside products, and of its launches: backward twice as much, and attention's weights once more
/// where they are computed again.
std::string rest_formula(const LayerCount& layer, const DeviceRate& device);
std::string backward_rest_formula(const LayerCount& layer, const DeviceRate& device);

}  // namespace pipedeck
