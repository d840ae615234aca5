// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/times/time_formula.hpp"

#include <fmt/format.h>

#include "core/analytic/times/gemm_times.hpp"

namespace pipedeck::analytic::times {
namespace {

std::string equation(const std::string& quotient, Seconds time) {
  return fmt::format("{} = {:.4g} ms", quotient, time.count * 1e3);
}

std::string memory_bound_term(double bytes, const DeviceRate& device) {
  return fmt::format("{:.4g} MB / ({:.4g} GB/s x {:.4g} %)", bytes / 1e6, device.memory.count / 1e9,
                     100 * device.reached.memory);
}

/// Returns the operations over the peak and its reached fraction, without the factor of shape or attention and without
/// the closing bracket. Here and below, values precede the words, so that the words can be translated.
std::string compute_bound_term(const GemmCount& product, const DeviceRate& device) {
  const std::string billions = fmt::format("{:.4g}", product.operations() / 1e9);
  return billions + fmt::format(" G operations / ({:.4g} TFLOP/s x {:.4g} %", device.operations / 1e12,
                                100 * device.reached.gemms);
}

std::string fused_quotient(const GemmCount& product, const DeviceRate& device) {
  return fmt::format("{} x {:.4g} %)", compute_bound_term(product, device), 100 * device.reached.attention);
}

std::string ordered_quotient(const GemmCount& product, const GemmShape& sizes, const DeviceRate& device) {
  const Seconds tiled = tile_limited_time(product, sizes, device);
  if (product.direct || tiled < gemm_time(product, sizes, device))
    return memory_bound_term(touched_bytes(product, device), device);
  const double peak_time = product.operations() / (device.operations * device.reached.gemms);
  return compute_bound_term(product, device) + fmt::format(" x {:.4g} % of its shape)", 100 * peak_time / tiled.count);
}

std::string forward_quotient(const GemmCount& product, const DeviceRate& device) {
  return product.fused ? fused_quotient(product, device) : ordered_quotient(product, forward_sizes(product), device);
}

std::string gradient_formula(const GemmCount& product, const GemmShape& sizes, const DeviceRate& device) {
  return equation(ordered_quotient(product, sizes, device), gemm_time(product, sizes, device));
}

double bytes_beside(const LayerCount& layer) { return layer.elementwise_bytes + layer.score_traffic; }

Seconds time_beside(const LayerCount& layer, const DeviceRate& device) {
  return memory_time(bytes_beside(layer), device) + device.reached.launch * layer.launches;
}

std::string extra_terms(const LayerCount& layer, const DeviceRate& device) {
  return fmt::format("{} + {}", memory_bound_term(bytes_beside(layer), device), layer.launches) +
         fmt::format(" launches x {:.4g} us", device.reached.launch.count * 1e6);
}

}  // namespace

std::string time_formula(const GemmCount& product, const DeviceRate& device) {
  return equation(forward_quotient(product, device), forward_time(product, device));
}

std::string input_gradient_formula(const GemmCount& product, const DeviceRate& device) {
  if (product.weights) return gradient_formula(product, input_gradient_sizes(product), device);
  return equation(fmt::format("{:.4g} x {}", product.backward, forward_quotient(product, device)),
                  forward_time(product, device) * product.backward);
}

std::string weight_gradient_formula(const GemmCount& product, const DeviceRate& device) {
  return gradient_formula(product, weight_gradient_sizes(product), device);
}

std::string rest_formula(const LayerCount& layer, const DeviceRate& device) {
  return equation(extra_terms(layer, device), time_beside(layer, device));
}

std::string backward_rest_formula(const LayerCount& layer, const DeviceRate& device) {
  const std::string twice = fmt::format("2 x ({})", extra_terms(layer, device));
  const Seconds time = time_beside(layer, device) * 2;
  if (!layer.recomputed_scores) return equation(twice, time);
  return equation(fmt::format("{} + {}", twice, memory_bound_term(layer.score_traffic, device)),
                  time + memory_time(layer.score_traffic, device));
}

}  // namespace pipedeck::analytic::times
