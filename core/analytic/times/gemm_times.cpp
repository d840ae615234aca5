// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/times/gemm_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pipedeck::analytic::times {
namespace {

/// A tile of a matmul's result, computed by one multiprocessor at a time. Small tiles waste less of a small matmul, but
/// load each element more often.
struct Tile {
  double side, reached;
};
constexpr std::array<Tile, 3> tiles{{{128, 1.0}, {64, 0.75}, {32, 0.45}}};

/// Returns the fraction of the multiprocessors' time that computes the result: the last wave of tiles and the tiles at
/// the edges are not full.
double shape_efficiency(double m, double n, double times, const DeviceRate& device) {
  double best = 0;
  for (const Tile& tile : tiles) {
    const double count = times * std::ceil(m / tile.side) * std::ceil(n / tile.side);
    const double waves = std::ceil(count / device.units);
    best = std::max(best, tile.reached * times * m * n / (tile.side * tile.side) / (waves * device.units));
  }
  return best;
}

}  // namespace

GemmShape forward_sizes(const GemmCount& product) { return {product.m, product.k, product.n}; }
GemmShape input_gradient_sizes(const GemmCount& product) { return {product.m, product.n, product.k}; }
GemmShape weight_gradient_sizes(const GemmCount& product) { return {product.k, product.m, product.n}; }

Seconds tile_limited_time(const GemmCount& product, const GemmShape& sizes, const DeviceRate& device) {
  const auto [m, k, n] = sizes;
  const double depth = k / (k + device.reached.depth);
  const double reached = device.reached.gemms * depth * shape_efficiency(m, n, product.times, device);
  return Seconds(2 * m * k * n * product.times / (device.operations * reached));
}

double touched_bytes(const GemmCount& product, const DeviceRate& device) {
  if (product.memory_traffic > 0) return product.memory_traffic * device.element;
  const auto [m, k, n] = forward_sizes(product);
  return product.times * device.element * (m * k + k * n + m * n);
}

Seconds memory_time(double bytes, const DeviceRate& device) {
  return Seconds(bytes / (device.memory.count * device.reached.memory));
}

Seconds fused_kernel_time(const GemmCount& product, const DeviceRate& device) {
  return Seconds(product.operations() / (device.operations * device.reached.gemms * device.reached.attention));
}

Seconds gemm_time(const GemmCount& product, const GemmShape& sizes, const DeviceRate& device) {
  const Seconds moving = memory_time(touched_bytes(product, device), device);
  return product.direct ? moving : std::max(tile_limited_time(product, sizes, device), moving);
}

Seconds forward_time(const GemmCount& product, const DeviceRate& device) {
  return product.fused ? fused_kernel_time(product, device) : gemm_time(product, forward_sizes(product), device);
}

}  // namespace pipedeck::analytic::times
