// SPDX-License-Identifier: Apache-2.0
// The collectives of a layer inside its stage: tensor, context and expert parallelism.
#pragma once

#include <vector>

#include "core/analytic/transformer/shards/layer_shard.hpp"
#include "core/analytic/transformer/shards/shard_sizes.hpp"

namespace pipedeck::analytic::transformer::shards {

/// Returns those of forward and backward, without recomputation, in the order of the forward.
std::vector<LayerCollective> tensor_collectives(const TransformerConfig& config, const times::LayerCount& layer,
                                                const ShardOptions& options, const ShardSizes& sizes);
std::vector<LayerCollective> context_collectives(const times::LayerCount& layer, const ShardOptions& options,
                                                 const ShardSizes& sizes);
std::vector<LayerCollective> expert_collectives(const TransformerConfig& config, const times::LayerCount& layer,
                                                const ShardOptions& options, const ShardSizes& sizes);

/// Returns U, a rank's bytes of keys and values in an attention with those widths per head.
double key_value_bytes(const ShardSizes& sizes, double key_width, double value_width);

}  // namespace pipedeck::analytic::transformer::shards
