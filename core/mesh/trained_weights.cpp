// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/trained_weights.hpp"

#include "core/analytic/transformer/shards/adapters.hpp"

namespace pipedeck::mesh {

using analytic::transformer::shards::LayerShard;
using analytic::transformer::shards::ShardWeights;

cost::RankWeights trained_weights(const LayerShard& layer, const Adapters& adapters) {
  if (adapters.rank == 0)
    return {layer.weights.dense + layer.weights.whole, layer.weights.expert, layer.weights.tensor_reduced};
  const ShardWeights own = adapter_weights(layer, adapters);
  return {own.dense, own.expert, 0};
}

cost::RankWeights frozen_weights(const LayerShard& layer, const Adapters& adapters, const WireBytes& wire) {
  if (adapters.rank == 0) return {};
  const ShardWeights linear = linear_weights(layer);
  const double less = 1 - frozen_bytes(adapters.frozen, wire.weights) / wire.weights;
  return {layer.weights.dense + layer.weights.whole - less * linear.dense, layer.weights.expert - less * linear.expert,
          0};
}

}  // namespace pipedeck::mesh
