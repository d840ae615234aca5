// SPDX-License-Identifier: Apache-2.0
// The weights of a layer on a rank, by what training does with them.
#pragma once

#include "core/analytic/transformer/shards/layer_shard.hpp"
#include "core/cost/data_traffic.hpp"
#include "core/model/training.hpp"

namespace pipedeck::mesh {

/// Returns the weights that have gradients: all, or those of the adapters.
cost::RankWeights trained_weights(const analytic::transformer::shards::LayerShard& layer, const Adapters& adapters);

/// Returns the frozen weights, as many as trained ones would take the same bytes on the wire.
cost::RankWeights frozen_weights(const analytic::transformer::shards::LayerShard& layer, const Adapters& adapters,
                                 const WireBytes& wire);

}  // namespace pipedeck::mesh
