// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/times/roofline.hpp"

#include <fmt/format.h>

#include "core/analytic/times/gemm_times.hpp"

namespace pipedeck::analytic::times {
namespace {

/// Returns a rank's part of a matmul: weights are sharded along their longer side (Megatron-LM shards widening layers
/// by columns, narrowing ones by rows), attention by heads.
GemmCount part_of(GemmCount product, int degree) {
  if (product.cut == Cut::none) return product;
  if (!product.weights)
    product.times /= degree;
  else
    (product.n >= product.k ? product.n : product.k) /= degree;
  return product;
}

}  // namespace

std::string usual_precision(const DeviceModel& device) {
  for (const char* precision : {"bf16", "fp16"})
    if (device.type.peak_tflops.contains(precision)) return precision;
  return "fp32";
}

Result<DeviceRate> rate_of(const DeviceModel& device, const std::string& precision) {
  const auto peak = device.type.peak_tflops.find(precision);
  if (peak == device.type.peak_tflops.end()) {
    std::string known;
    for (const auto& [name, tflops] : device.type.peak_tflops) known += (known.empty() ? "" : ", ") + name;
    return fail(ErrorCode::bad_usage,
                fmt::format("found precision '{}', expected one that the data sheet of {} has: {}", precision,
                            device.type.name, known));
  }
  DeviceRate rate;
  rate.operations = peak->second * 1e12;
  rate.memory = *device.type.memory_bandwidth;
  rate.units = device.compute_units;
  rate.element = precision == "fp32" || precision == "tf32" ? 4 : 2;
  return rate;
}

Seconds product_time(double m, double k, double n, double times, const DeviceRate& device) {
  GemmCount product;
  product.m = m, product.k = k, product.n = n, product.times = times;
  return gemm_time(product, forward_sizes(product), device);
}

LayerSeconds layer_time(const LayerCount& layer, const DeviceRate& device, int degree, bool sequence_parallel) {
  LayerSeconds times;
  for (const GemmCount& product : layer.gemms) {
    const GemmCount part = part_of(product, degree);
    times.forward += forward_time(part, device);
    if (!part.weights) {
      times.backward_input += forward_time(part, device) * part.backward;
      continue;
    }
    if (part.backward > 1) times.backward_input += gemm_time(part, input_gradient_sizes(part), device);
    times.backward_weight += gemm_time(part, weight_gradient_sizes(part), device);
  }
  const Seconds scores = memory_time(layer.score_traffic / degree, device);
  const Seconds beside = memory_time(layer.elementwise_bytes / (sequence_parallel ? degree : 1), device) + scores;
  const Seconds launches = device.reached.launch * layer.launches;
  times.forward += beside + launches;
  (layer.is_embedding_input ? times.backward_weight : times.backward_input) += (beside + launches) * 2;
  if (layer.recomputed_scores) times.backward_input += scores;
  return times;
}

}  // namespace pipedeck::analytic::times
