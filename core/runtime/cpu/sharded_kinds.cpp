// SPDX-License-Identifier: Apache-2.0
// Parts of the kinds that are a smaller layer of their own kind: products by columns and by rows, and what treats each
// channel by itself. Weights lie so that the rows of a product, also a convolution's, are followed by its bias.
#include <utility>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/sharded_layer.hpp"

namespace pipedeck {
namespace {

using Factory = Result<std::unique_ptr<LayerKernel>> (*)(const ModelLayer&);

ModelLayer with_size(ModelLayer layer, const char* key, std::int64_t size) {
  layer.sizes[key] = size;
  return layer;
}

/// Kernels of the whole layer and of `part`; no blocks yet.
Result<KernelPart> make_part(const ModelLayer& layer, Factory whole, const ModelLayer& smaller, Factory part,
                             const LayerSharding& sharding) {
  auto of_all = whole(layer);
  if (!of_all) return tl::unexpected(of_all.error());
  auto of_part = part(smaller);
  if (!of_part) return tl::unexpected(of_part.error());
  return KernelPart{std::move(*of_part), std::move(*of_all), {}, sharding};
}

/// The size `key` counts the layer's columns, in which its parameters lie row by row.
Result<std::unique_ptr<LayerKernel>> make_columns(const ModelLayer& layer, Factory make, const char* key,
                                                  const LayerSharding& sharding) {
  const std::int64_t columns = layer.size(key);
  const ColumnRange own = sharding.partners.own(columns);
  auto part = make_part(layer, make, with_size(layer, key, own.count), make, sharding);
  if (!part) return tl::unexpected(part.error());
  part->blocks = {{own.first, part->whole->parameters() / columns, own.count, columns}};
  return make_columns_layer(std::move(*part), columns);
}

/// `windows`: how often the input's columns lie one behind the other in the weights of one output.
Result<std::unique_ptr<LayerKernel>> make_rows(const ModelLayer& layer, Factory make, Factory make_weights,
                                               std::int64_t windows, std::int64_t inputs,
                                               const LayerSharding& sharding) {
  const std::int64_t columns = sharding.choice.input_columns, out = layer.size("out");
  const ColumnRange own = sharding.partners.own(columns);
  auto part = make_part(layer, make, with_size(layer, "in", inputs / columns * own.count), make_weights, sharding);
  if (!part) return tl::unexpected(part.error());
  const std::int64_t weights = windows * inputs * out, bias = part->whole->parameters() - weights;
  part->blocks = {{own.first * out, windows * inputs / columns, own.count * out, columns * out}};
  if (bias > 0) part->blocks.push_back({weights, 1, bias, bias});
  const auto activation = static_cast<Activation>(layer.size("activation"));
  return make_rows_layer(std::move(*part), out, activation);
}

}  // namespace

Result<std::unique_ptr<LayerKernel>> make_sharded_linear(const ModelLayer& layer, const LayerSharding& sharding) {
  if (sharding.choice.pattern == CutPattern::columns) return make_columns(layer, make_linear, "out", sharding);
  return make_rows(layer, make_linear, make_linear_weights, 1, layer.size("in"), sharding);
}

Result<std::unique_ptr<LayerKernel>> make_sharded_convolution(const ModelLayer& layer, const LayerSharding& sharding) {
  if (sharding.choice.pattern == CutPattern::columns) return make_columns(layer, make_convolution, "out", sharding);
  const std::int64_t windows = layer.size("kernel") * layer.size("kernel");
  return make_rows(layer, make_convolution, make_convolution_weights, windows, layer.size("in"), sharding);
}

Result<std::unique_ptr<LayerKernel>> make_sharded_embedding(const ModelLayer& layer, const LayerSharding& sharding) {
  return make_columns(layer, make_embedding, "hidden", sharding);
}

Result<std::unique_ptr<LayerKernel>> make_sharded_batch_norm(const ModelLayer& layer, const LayerSharding& sharding) {
  return make_columns(layer, make_batch_norm, "channels", sharding);
}

Result<std::unique_ptr<LayerKernel>> make_sharded_pool(const ModelLayer& layer, const LayerSharding& sharding) {
  Factory make = layer.kind == "max_pool" ? make_max_pool : make_average_pool;
  if (layer.kind == "global_average_pool") make = make_global_average_pool;
  return make_columns(layer, make, "channels", sharding);
}

}  // namespace pipedeck
