// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/roofline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/analytic/time_formula.hpp"

namespace pipedeck {
namespace {

/// Squares that a product's result is cut into, one a multiprocessor at a time. Small ones waste less of a small
/// product, but load each number more often.
struct Tile {
  double side, reached;
};
constexpr std::array<Tile, 3> tiles{{{128, 1.0}, {64, 0.75}, {32, 0.45}}};

/// Part of the multiprocessors' time that computes the result: the last of the tiles' waves is not full, and tiles on
/// the rim are not.
double shape_efficiency(double m, double n, double times, const DeviceRate& device) {
  double best = 0;
  for (const Tile& tile : tiles) {
    const double count = times * std::ceil(m / tile.side) * std::ceil(n / tile.side);
    const double waves = std::ceil(count / device.units);
    best = std::max(best, tile.reached * times * m * n / (tile.side * tile.side) / (waves * device.units));
  }
  return best;
}

/// A rank's part of a product: weights are cut along their longer side (Megatron-LM cuts what widens by columns, what
/// narrows by rows), attention by heads.
CountedProduct part_of(CountedProduct product, int degree) {
  if (!product.divided) return product;
  if (!product.weights)
    product.times /= degree;
  else
    (product.n >= product.k ? product.n : product.k) /= degree;
  return product;
}

Seconds moving_time(double bytes, const DeviceRate& device) {
  return Seconds(bytes / (device.memory.count * device.reached.memory));
}

Seconds tiled_time(double m, double k, double n, double times, const DeviceRate& device) {
  const double depth = k / (k + device.reached.depth);
  const double reached = device.reached.products * depth * shape_efficiency(m, n, times, device);
  return Seconds(2 * m * k * n * times / (device.operations * reached));
}

/// The part's product with its sizes in that order: each of the three products of a layer has another.
Seconds ordered_time(const CountedProduct& part, double m, double k, double n, const DeviceRate& device) {
  if (part.touched == 0) return product_time(m, k, n, part.times, device);
  const Seconds moving = moving_time(part.touched * device.element, device);
  return part.direct ? moving : std::max(tiled_time(m, k, n, part.times, device), moving);
}

Seconds shaped_time(const CountedProduct& part, const DeviceRate& device) {
  return ordered_time(part, part.m, part.k, part.n, device);
}

/// A fused kernel keeps all multiprocessors busy with pieces of its own size, whatever the shape.
Seconds forward_time(const CountedProduct& part, const DeviceRate& device) {
  if (!part.fused) return shaped_time(part, device);
  return Seconds(part.operations() / (device.operations * device.reached.products * device.reached.attention));
}

std::string moving_formula(double bytes, const DeviceRate& device) {
  return fmt::format("{:.4g} MB / ({:.4g} GB/s x {:.0f} %)", bytes / 1e6, device.memory.count / 1e9,
                     100 * device.reached.memory);
}

}  // namespace

std::string time_formula(const CountedProduct& product, const DeviceRate& device) {
  const double milliseconds = forward_time(product, device).count * 1e3;
  const std::string peak = fmt::format("{:.4g} G operations / ({:.4g} TFLOP/s x {:.0f} %", product.operations() / 1e9,
                                       device.operations / 1e12, 100 * device.reached.products);
  if (product.fused)
    return fmt::format("{} x {:.0f} %) = {:.4g} ms", peak, 100 * device.reached.attention, milliseconds);
  const Seconds tiled = tiled_time(product.m, product.k, product.n, product.times, device);
  if (!product.direct && tiled.count * 1e3 >= milliseconds)
    return fmt::format("{} x {:.1f} % of its shape) = {:.4g} ms", peak,
                       100 * product.operations() / (tiled.count * device.operations * device.reached.products),
                       milliseconds);
  const double numbers = product.touched > 0
                             ? product.touched
                             : product.times * (product.m * product.k + product.k * product.n + product.m * product.n);
  return fmt::format("{} = {:.4g} ms", moving_formula(numbers * device.element, device), milliseconds);
}

std::string rest_formula(const LayerCount& layer, const DeviceRate& device) {
  const double bytes = layer.moved + layer.scores_moved;
  const Seconds launches = device.reached.launch * layer.launches;
  return fmt::format("{} + {} launches x {:.4g} us = {:.4g} ms", moving_formula(bytes, device), layer.launches,
                     device.reached.launch.count * 1e6, (moving_time(bytes, device) + launches).count * 1e3);
}

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
  return std::max(tiled_time(m, k, n, times, device),
                  moving_time(times * device.element * (m * k + k * n + m * n), device));
}

LayerSeconds layer_time(const LayerCount& layer, const DeviceRate& device, int degree, bool sequence_parallel) {
  LayerSeconds times;
  for (const CountedProduct& product : layer.products) {
    const CountedProduct part = part_of(product, degree);
    times.forward += forward_time(part, device);
    if (!part.weights) {
      times.backward_input += forward_time(part, device) * part.backward;
      continue;
    }
    if (part.backward > 1) times.backward_input += ordered_time(part, part.m, part.n, part.k, device);
    times.backward_weight += ordered_time(part, part.k, part.m, part.n, device);
  }
  const Seconds scores = moving_time(layer.scores_moved / degree, device);
  const Seconds beside = moving_time(layer.moved / (sequence_parallel ? degree : 1), device) + scores;
  const Seconds launches = device.reached.launch * layer.launches;
  times.forward += beside + launches;
  (layer.made_of_ids ? times.backward_weight : times.backward_input) += (beside + launches) * 2;
  if (layer.scores_again) times.backward_input += scores;
  return times;
}

}  // namespace pipedeck
