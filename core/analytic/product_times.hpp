// SPDX-License-Identifier: Apache-2.0
// Times of single products and of bytes by the roofline: what layers' times are summed from, and told in words.
#pragma once

#include "core/analytic/roofline.hpp"

namespace pipedeck {

/// m x k by k x n.
struct ProductSizes {
  double m, k, n;
};
/// A product with weights has two more in the backward pass, with the same sizes in another order.
ProductSizes forward_sizes(const CountedProduct& product);
ProductSizes input_gradient_sizes(const CountedProduct& product);
ProductSizes weight_gradient_sizes(const CountedProduct& product);

/// Bound by arithmetic, with the efficiency of the product's shape.
Seconds tiled_time(const CountedProduct& product, const ProductSizes& sizes, const DeviceRate& device);

/// Bytes that the product reads and writes: the same whatever the order of its sizes.
double touched_bytes(const CountedProduct& product, const DeviceRate& device);
Seconds moving_time(double bytes, const DeviceRate& device);

/// A fused kernel keeps all multiprocessors busy with pieces of its own size, whatever the shape.
Seconds fused_time(const CountedProduct& product, const DeviceRate& device);

/// Bound by arithmetic or by memory, whichever takes longer.
Seconds ordered_time(const CountedProduct& product, const ProductSizes& sizes, const DeviceRate& device);

/// Of the forward pass, fused or not.
Seconds forward_time(const CountedProduct& product, const DeviceRate& device);

}  // namespace pipedeck
