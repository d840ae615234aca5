// SPDX-License-Identifier: Apache-2.0
// Times of the roofline (roofline.hpp) as people can check them: what is divided by what.
#pragma once

#include <string>

#include "core/analytic/roofline.hpp"

namespace pipedeck {

/// Of the forward pass of one product: "412.3 G operations / (312 TFLOP/s x 77 % x 93 % of its shape) = 1.845 ms", or
/// its bytes through the memory where these take longer.
std::string time_formula(const CountedProduct& product, const DeviceRate& device);

/// Of what a forward pass moves beside products, and of its launches.
std::string rest_formula(const LayerCount& layer, const DeviceRate& device);

}  // namespace pipedeck
