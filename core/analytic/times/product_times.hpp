// SPDX-License-Identifier: Apache-2.0
// Times of single matmuls and of memory traffic by the roofline. Layers' times are their sums, and texts show them.
#pragma once

#include "core/analytic/times/roofline.hpp"

namespace pipedeck::analytic::times {

/// A matmul's sizes, m x k by k x n.
struct ProductSizes {
  double m, k, n;
};
/// Returns the sizes of the forward matmul. With weights, the backward pass has two more, with the same sizes in
/// another order.
ProductSizes forward_sizes(const CountedProduct& product);
ProductSizes input_gradient_sizes(const CountedProduct& product);
ProductSizes weight_gradient_sizes(const CountedProduct& product);

/// Returns the compute time, with the efficiency of the matmul's shape.
Seconds tiled_time(const CountedProduct& product, const ProductSizes& sizes, const DeviceRate& device);

/// Returns the bytes that the matmul reads and writes, whatever the order of its sizes.
double touched_bytes(const CountedProduct& product, const DeviceRate& device);
Seconds moving_time(double bytes, const DeviceRate& device);

/// Returns the time in a fused kernel, which occupies all multiprocessors with tiles of its own size, whatever the
/// shape.
Seconds fused_time(const CountedProduct& product, const DeviceRate& device);

/// Returns the maximum of compute time and memory time.
Seconds ordered_time(const CountedProduct& product, const ProductSizes& sizes, const DeviceRate& device);

/// Returns the time of the forward pass, fused or not.
Seconds forward_time(const CountedProduct& product, const DeviceRate& device);

}  // namespace pipedeck::analytic::times
