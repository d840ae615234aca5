// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/transformer/shards/adapters.hpp"

#include <algorithm>
#include <array>

#include "core/analytic/transformer/layers.hpp"

namespace pipedeck::analytic::transformer::shards {
namespace {

/// Returns true if the matrix is one of queries or values: of a latent attention, an up-projection.
bool is_query_or_value(std::string_view product, std::size_t matrix) {
  if (product == "queries, keys, values") return matrix != 1;
  if (product == "cross-attention keys and values") return matrix == 1;
  return product == "queries" || product == "cross-attention queries" || product == "keys and values";
}

bool is_of_attention(const ShardProduct& product) {
  constexpr std::array<std::string_view, 3> beginnings{"queries", "keys and values", "cross-attention"};
  return product.name == "attention output" ||
         std::ranges::any_of(beginnings, [&](std::string_view name) { return product.name.starts_with(name); });
}

/// Adds a number of elements of a product to the weights of its class.
void add(ShardWeights& weights, const ShardProduct& product, double count) {
  (product.kind == WorkKind::grouped_product ? weights.expert : weights.dense) += count * product.times;
}

}  // namespace

bool is_linear(const ShardProduct& product) {
  return product.kind != WorkKind::attention && product.part != times::Part::router;
}

AdaptedPart adapted_part(const ShardProduct& product, const Adapters& adapters) {
  AdaptedPart part;
  if (adapters.rank == 0 || !is_linear(product)) return part;
  if (adapters.targets == AdapterTargets::attention && !is_of_attention(product)) return part;
  for (std::size_t m = 0; m < product.joined.size(); ++m) {
    if (product.joined[m] <= 0) continue;
    if (adapters.targets == AdapterTargets::query_value && !is_query_or_value(product.name, m)) continue;
    ++part.matrices;
    part.columns += product.joined[m];
  }
  return part;
}

ShardWeights adapter_weights(const LayerShard& layer, const Adapters& adapters) {
  ShardWeights weights;
  if (!is_block_kind(layer.kind)) return weights;
  for (const ShardProduct& product : layer.forward.products) {
    const AdaptedPart part = adapted_part(product, adapters);
    add(weights, product, adapters.rank * (part.matrices * product.inner + part.columns * product.columns));
  }
  return weights;
}

ShardWeights linear_weights(const LayerShard& layer) {
  ShardWeights weights;
  if (!is_block_kind(layer.kind)) return weights;
  for (const ShardProduct& product : layer.forward.products)
    if (is_linear(product)) add(weights, product, product.inner * product.columns);
  return weights;
}

double adapter_elements(const LayerShard& layer, const Adapters& adapters) {
  double sum = 0;
  if (!is_block_kind(layer.kind)) return sum;
  for (const ShardProduct& product : layer.forward.products)
    sum += product.rows * product.times * adapters.rank * adapted_part(product, adapters).matrices;
  return sum;
}

}  // namespace pipedeck::analytic::transformer::shards
