// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layers/context.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/runtime/layers/sharding.hpp"

namespace pipedeck::runtime::layers {
namespace {

/// Layers that treat each position by itself.
constexpr std::array<std::string_view, 5> by_position{"feed_forward", "layer_norm", "linear", "rms_norm",
                                                      "softmax_cross_entropy"};

}  // namespace

std::vector<ShardRange> context_positions(std::int64_t sequence, int rank, int degree) {
  if (degree == 1) return {{0, sequence}};
  const std::int64_t chunk = sequence / (2 * std::int64_t{degree});
  const std::int64_t last = 2 * std::int64_t{degree} - 1 - rank;
  if (last == rank + 1) return {{rank * chunk, 2 * chunk}};
  return {{rank * chunk, chunk}, {last * chunk, chunk}};
}

std::vector<std::int64_t> ContextShard::positions(int of) const {
  std::vector<std::int64_t> all;
  for (const ShardRange& range : context_positions(sequence, of, degree))
    for (std::int64_t i = 0; i < range.count; ++i) all.push_back(range.first + i);
  return all;
}

ModelSpec context_model(const ModelSpec& model, int degree) {
  ModelSpec local = model;
  for (ModelLayer& layer : local.layers)
    if (const auto found = layer.sizes.find("sequence"); found != layer.sizes.end()) found->second /= degree;
  return local;
}

Result<void> check_context(const ModelSpec& model, const KernelRegistry& kernels, int degree) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const ModelLayer& layer = model.layers[i];
    const std::string place = fmt::format("/layers/{}", i);
    if (std::ranges::find(by_position, layer.kind) == by_position.end() && !kernels.context.contains(layer.kind))
      return fail(
          ErrorCode::bad_input,
          fmt::format("layer '{}' ({}) needs all positions of a sample on {}: found {} context ranks, expected 1",
                      layer.name, layer.kind, kernels.where, degree),
          place);
    const auto sequence = size_of(layer, "sequence");
    if (!sequence) return fail(ErrorCode::bad_input, sequence.error().message, place);
    if (*sequence % (2 * std::int64_t{degree}) != 0)
      return fail(
          ErrorCode::bad_input,
          fmt::format("layer '{}' ({}): found {} positions, expected a multiple of {}, two chunks for each of {} "
                      "context ranks",
                      layer.name, layer.kind, *sequence, 2 * degree, degree),
          place);
  }
  return {};
}

Result<std::unique_ptr<LayerKernel>> make_context_layer(const ModelLayer& layer, const KernelRegistry& kernels,
                                                        const ContextShard& context, const LayerSharding* sharding) {
  if (const auto found = kernels.context.find(layer.kind); found != kernels.context.end())
    return found->second(layer, context, sharding);
  return sharding ? make_sharded_layer(layer, kernels, *sharding) : make_layer(layer, kernels);
}

Result<std::vector<std::unique_ptr<LayerKernel>>> make_context_layers(const ModelSpec& model, int first, int last,
                                                                      const KernelRegistry& kernels,
                                                                      const ContextShard& context) {
  std::vector<std::unique_ptr<LayerKernel>> made;
  for (int i = first; i < last; ++i) {
    auto layer = make_context_layer(model.layers[static_cast<std::size_t>(i)], kernels, context, nullptr);
    if (!layer) return fail(layer.error().code, layer.error().message, fmt::format("/layers/{}", i));
    made.push_back(std::move(*layer));
  }
  return made;
}

}  // namespace pipedeck::runtime::layers
