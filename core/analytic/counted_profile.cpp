// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/counted_profile.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/limits.hpp"

namespace pipedeck::analytic {

Bytes whole_bytes(double bytes) {
  return Bytes(std::llround(std::min(bytes, 2.0 * static_cast<double>(limits::bytes))));
}

std::string group_digits(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), " ");
  return digits;
}

Layer make_layer(const times::LayerCount& counted, const times::LayerSeconds& times, int element) {
  Layer layer;
  layer.name = counted.name;
  layer.kind = counted.kind;
  layer.forward = times.forward;
  layer.backward = times.backward_input + times.backward_weight;
  layer.backward_weight = times.backward_weight;
  layer.output = whole_bytes(counted.output);
  layer.saved = whole_bytes(times::saved_bytes(counted));
  layer.parameters = whole_bytes(times::weight_count(counted) * element);
  return layer;
}

namespace {

/// Adds the formulas of the gradients. For a matmul with weights: of its input, unless that needs none, and of the
/// weights. For others: all together.
void explain_backward(const times::LayerCount& layer, const times::DeviceRate& device,
                      std::vector<std::string>& figures) {
  const auto say = [&](std::string figure) { figures.push_back(std::move(figure)); };
  for (const times::GemmCount& product : layer.gemms) {
    if (!product.weights) {
      say(fmt::format("backward, {}: {}", product.name, times::input_gradient_formula(product, device)));
      continue;
    }
    if (product.backward > 1)
      say(fmt::format("backward, input of {}: {}", product.name, times::input_gradient_formula(product, device)));
    say(fmt::format("backward, weights of {}: {}", product.name, times::weight_gradient_formula(product, device)));
  }
}

/// Returns the formulas of both passes.
std::vector<std::string> time_formulas(const times::LayerCount& layer, const times::DeviceRate& device) {
  std::vector<std::string> formulas;
  for (const times::GemmCount& product : layer.gemms)
    formulas.push_back(fmt::format("forward, {}: {}", product.name, times::time_formula(product, device)));
  const bool more = layer.elementwise_bytes + layer.score_traffic > 0 || layer.launches > 0;
  if (more) formulas.push_back(fmt::format("forward, all else: {}", times::rest_formula(layer, device)));
  explain_backward(layer, device, formulas);
  if (more) formulas.push_back(fmt::format("backward, all else: {}", times::backward_rest_formula(layer, device)));
  return formulas;
}

}  // namespace

LayerExplanation explain(const times::LayerCount& layer, const times::LayerSeconds& times,
                         const times::DeviceRate& device) {
  return explain(layer, times, time_formulas(layer, device));
}

LayerExplanation explain(const times::LayerCount& layer, const times::LayerSeconds& times,
                         const std::vector<std::string>& formulas) {
  LayerExplanation told{layer.name, {}};
  const auto say = [&](std::string figure) { told.figures.push_back(std::move(figure)); };
  for (const times::WeightItem& item : layer.weights)
    say(fmt::format("weights, {}: {} = {}", item.name, item.formula, group_digits(item.count)));
  for (const times::GemmCount& product : layer.gemms)
    say(fmt::format("operations, {}: {} = {}", product.name, product.formula, group_digits(product.operations())));
  for (const times::SavedItem& item : layer.saved)
    say(fmt::format("kept, {}: {} = {} bytes", item.name, item.formula, group_digits(item.bytes)));
  for (const std::string& formula : formulas) say(formula);
  say(fmt::format("time: forward {:.4g} ms, backward {:.4g} ms; {:.4g} MB moved outside products",
                  times.forward.count * 1e3, (times.backward_input + times.backward_weight).count * 1e3,
                  (layer.elementwise_bytes + layer.score_traffic) / 1e6));
  return told;
}

Result<void> within_limits(const Profile& profile) {
  for (const Layer& layer : profile.layers) {
    const Bytes most = std::max({layer.output, layer.saved, layer.parameters});
    if (most.count > limits::bytes || !(layer.backward.count <= limits::seconds))
      return fail(ErrorCode::bad_input,
                  fmt::format("found layer '{}' of {} bytes and {:.4g} s, expected a model of a sensible size",
                              layer.name, most.count, layer.backward.count));
  }
  return {};
}

}  // namespace pipedeck::analytic
