// SPDX-License-Identifier: Apache-2.0
// The weights of a layer on a rank, by what training does with them.
#pragma once

#include "core/analytic/transformer/shards/layer_shard.hpp"
#include "core/cost/data_traffic.hpp"
#include "core/mesh/question.hpp"

namespace pipedeck::mesh {

/// Returns the weights of a head that are those of the embedding, on the rank; 0 for other layers and untied models.
double tied_weights(const analytic::transformer::shards::LayerShard& layer, const Question& question);

/// Returns those of them that the embedding of the same ranks counts.
double shared_weights(const analytic::transformer::shards::LayerShard& layer, const Question& question);

/// Returns the weights that have gradients: all, or those of the adapters. Without shared weights.
cost::RankWeights trained_weights(const analytic::transformer::shards::LayerShard& layer, const Question& question);

/// Returns the frozen weights, as many as trained ones would take the same bytes on the wire.
/// Without shared weights.
cost::RankWeights frozen_weights(const analytic::transformer::shards::LayerShard& layer, const Question& question);

}  // namespace pipedeck::mesh
