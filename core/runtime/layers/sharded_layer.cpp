// SPDX-License-Identifier: Apache-2.0
// The weights' layout: the rows of a product, also a convolution's, are followed by its bias.
#include "core/runtime/layers/sharded_layer.hpp"

#include <utility>

#include "core/model/layer_kinds.hpp"

namespace pipedeck::runtime::layers {
namespace {

ModelLayer with_size(ModelLayer layer, const char* key, std::int64_t size) {
  layer.sizes[key] = size;
  return layer;
}

/// Returns kernels of the whole layer and of `part`; no blocks yet.
Result<KernelPart> make_part(const ModelLayer& layer, const KernelFactory& whole, const ModelLayer& smaller,
                             const KernelFactory& part, const LayerSharding& sharding) {
  TRY(auto of_all, whole(layer));
  TRY(auto of_part, part(smaller));
  return KernelPart{std::move(of_part), std::move(of_all), {}, sharding};
}

/// The size `key` counts the layer's columns; its parameters are rows of these columns.
Result<std::unique_ptr<LayerKernel>> make_columns(const PartKinds& kinds, const ModelLayer& layer, const char* key,
                                                  const LayerSharding& sharding) {
  const KernelFactory& make = kinds.layers.at(layer.kind);
  const std::int64_t columns = layer.size(key);
  const ShardRange own = sharding.partners.local_range(columns);
  TRY(auto part, make_part(layer, make, with_size(layer, key, own.count), make, sharding));
  const std::int64_t rows = part.whole->parameters() / columns;
  part.blocks = {{own.first, rows, own.count, columns}};
  if (is_tied(layer)) part.blocks = {{own.first * rows, 1, own.count * rows, own.count * rows}};  // out x in
  return std::make_unique<ColumnParallelLayer>(std::move(part), columns);
}

/// `windows`: number of repetitions of the input's columns in the weights of one output.
Result<std::unique_ptr<LayerKernel>> make_rows(const PartKinds& kinds, const ModelLayer& layer,
                                               const KernelFactory& make_weights, std::int64_t windows,
                                               const LayerSharding& sharding) {
  const std::int64_t columns = sharding.choice.input_columns, inputs = layer.size("in"), out = layer.size("out");
  const ShardRange own = sharding.partners.local_range(columns);
  const ModelLayer smaller = with_size(layer, "in", inputs / columns * own.count);
  TRY(auto part, make_part(layer, kinds.layers.at(layer.kind), smaller, make_weights, sharding));
  const std::int64_t weights = windows * inputs * out, bias = part.whole->parameters() - weights;
  part.blocks = {{own.first * out, windows * inputs / columns, own.count * out, columns * out}};
  if (bias > 0) part.blocks.push_back({weights, 1, bias, bias});
  return kinds.rows_layer(std::move(part), out, static_cast<Activation>(layer.size("activation")));
}

}  // namespace

std::map<std::string, ShardedFactory> smaller_layers(PartKinds all) {
  const auto kinds = std::make_shared<const PartKinds>(std::move(all));
  const auto columns = [&](const char* key) {
    return [kinds, key](const ModelLayer& layer, const LayerSharding& sharding) {
      return make_columns(*kinds, layer, key, sharding);
    };
  };
  const auto product = [&](const KernelFactory& weights,
                           const std::function<std::int64_t(const ModelLayer&)>& windows) {
    return [kinds, weights, windows](const ModelLayer& layer, const LayerSharding& sharding) {
      return sharding.choice.pattern == ShardingKind::columns
                 ? make_columns(*kinds, layer, "out", sharding)
                 : make_rows(*kinds, layer, weights, windows(layer), sharding);
    };
  };
  return {{"average_pool", columns("channels")},
          {"batch_norm", columns("channels")},
          {"convolution", product(kinds->convolution_weights,
                                  [](const ModelLayer& layer) { return layer.size("kernel") * layer.size("kernel"); })},
          {"embedding", columns("hidden")},
          {"global_average_pool", columns("channels")},
          {"linear", product(kinds->linear_weights, [](const ModelLayer&) { return std::int64_t{1}; })},
          {"max_pool", columns("channels")}};
}

}  // namespace pipedeck::runtime::layers
