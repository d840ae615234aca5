// SPDX-License-Identifier: Apache-2.0
// Times of single matmuls and of memory traffic by the roofline. Layers' times are their sums, and texts show them.
#pragma once

#include "core/analytic/times/roofline.hpp"

namespace pipedeck::analytic::times {

/// A matmul's sizes, m x k by k x n.
struct GemmShape {
  double m, k, n;
};
/// Returns the sizes of the forward matmul. With weights, the backward pass has two more, with the same sizes in
/// another order.
GemmShape forward_sizes(const GemmCount& product);
GemmShape input_gradient_sizes(const GemmCount& product);
GemmShape weight_gradient_sizes(const GemmCount& product);

/// Returns the compute time, with the efficiency of the matmul's shape.
Seconds tile_limited_time(const GemmCount& product, const GemmShape& sizes, const DeviceRate& device);

/// Returns the bytes that the matmul reads and writes, whatever the order of its sizes.
double touched_bytes(const GemmCount& product, const DeviceRate& device);
Seconds memory_time(double bytes, const DeviceRate& device);

/// Returns the time in a fused kernel, which occupies all multiprocessors with tiles of its own size, whatever the
/// shape.
Seconds fused_kernel_time(const GemmCount& product, const DeviceRate& device);

/// Returns the maximum of compute time and memory time.
Seconds gemm_time(const GemmCount& product, const GemmShape& sizes, const DeviceRate& device);

/// Returns the time of the forward pass, fused or not.
Seconds forward_time(const GemmCount& product, const DeviceRate& device);

}  // namespace pipedeck::analytic::times
