// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/trained_weights.hpp"

#include "core/analytic/transformer/shards/adapters.hpp"

namespace pipedeck::mesh {

using analytic::transformer::shards::LayerShard;
using analytic::transformer::shards::ShardProduct;
using analytic::transformer::shards::ShardWeights;

double tied_weights(const LayerShard& layer, const Question& question) {
  if (!question.config.tied || layer.kind != "linear" || layer.weights.dense <= 0) return 0;
  double sum = 0;
  for (const ShardProduct& product : layer.forward.products)
    if (product.name == "words") sum += product.inner * product.columns;  // h V / T
  return sum;
}

double shared_weights(const LayerShard& layer, const Question& question) {
  return question.shares_table() ? tied_weights(layer, question) : 0;
}

cost::RankWeights trained_weights(const LayerShard& layer, const Question& question) {
  const Adapters& adapters = question.training.adapters;
  if (adapters.rank == 0)
    return {layer.weights.dense + layer.weights.whole - shared_weights(layer, question), layer.weights.expert,
            layer.weights.tensor_reduced};
  const ShardWeights own = adapter_weights(layer, adapters);
  return {own.dense, own.expert, 0};
}

cost::RankWeights frozen_weights(const LayerShard& layer, const Question& question) {
  const Adapters& adapters = question.training.adapters;
  if (adapters.rank == 0) return {};
  const ShardWeights linear = linear_weights(layer);
  const double wire = question.wire.weights, less = 1 - frozen_bytes(adapters.frozen, wire) / wire;
  const double dense = layer.weights.dense + layer.weights.whole - shared_weights(layer, question);
  return {dense - less * linear.dense, layer.weights.expert - less * linear.expert, 0};
}

}  // namespace pipedeck::mesh
