// SPDX-License-Identifier: Apache-2.0
// Low-rank adapters next to frozen weights on a rank (LoRA, arXiv 2106.09685; parallelism.md, "Adapters").
#pragma once

#include <string_view>

#include "core/analytic/transformer/shards/layer_shard.hpp"
#include "core/model/training.hpp"

namespace pipedeck::analytic::transformer::shards {

/// A part of a product's weights that has adapters.
struct AdaptedPart {
  int matrices = 0;    ///< of those that engines join in the product
  double columns = 0;  ///< their share of the columns
  bool any() const { return matrices > 0; }
};
AdaptedPart adapted_part(const ShardProduct& product, const Adapters& adapters);

/// Returns true for products of a block whose weights may be frozen and quantized: all but the router.
bool is_linear(const ShardProduct& product);

/// Returns the weights of a layer's adapters on a rank: r (inner + columns) a matrix. None outside of blocks.
ShardWeights adapter_weights(const LayerShard& layer, const Adapters& adapters);
/// Returns the weights of a layer's linear products on a rank. None outside of blocks.
ShardWeights linear_weights(const LayerShard& layer);
/// Returns the elements that a layer's adapters keep for the backward: the narrow vectors of its tokens.
double adapter_elements(const LayerShard& layer, const Adapters& adapters);

}  // namespace pipedeck::analytic::transformer::shards
