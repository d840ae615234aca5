// SPDX-License-Identifier: Apache-2.0
// The layers of a pipeline's stages on a rank.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/analytic/times/layer_count.hpp"
#include "core/analytic/transformer/shards/layer_shard.hpp"
#include "core/base/result.hpp"
#include "core/mesh/question.hpp"

namespace pipedeck::mesh {

using StageLayers = std::vector<analytic::transformer::shards::LayerShard>;

/// Returns the number of blocks of each of the P v stages: as given, or as even as possible. Stages in the middle have
/// one more than those at the ends, which hold the embedding and the head.
std::vector<int> blocks_of_stages(const Question& question);

/// Returns the layers of each of the P v stages, in the order of the model. The first one has the embedding. The last
/// one has the final norm, the head and the loss, and Training::multi_token_blocks more blocks, each with a product of
/// 2h x h and a head and loss of its own. bad_input if degrees do not divide the model, or `blocks` do not add up to
/// its blocks.
Result<std::vector<StageLayers>> stage_layers(const Question& question);

/// Returns the layers before those of blocks for further tokens.
std::span<const analytic::transformer::shards::LayerShard> without_multi_token(const StageLayers& stage);

/// A model in three parts: layers before the blocks, the blocks, and layers behind them.
struct ModelParts {
  StageLayers before, after;
  std::vector<StageLayers> blocks;  ///< different ones
  std::vector<std::size_t> order;   ///< of the model's blocks: a position in `blocks` each
};
/// Returns the parts of a question's model, each different block once. The degrees must divide the model, and
/// recomputation of whole blocks is of all or none.
Result<ModelParts> different_parts(const Question& question);
/// Returns the layers of stage `s` of `stages` with these blocks, `first` to `last` - 1 of the model.
StageLayers layers_of_stage(const Question& question, const ModelParts& model, std::size_t s, std::size_t stages,
                            std::size_t first, std::size_t last);

/// Returns true if both layers do the work of one another.
bool are_alike(const analytic::times::LayerCount& a, const analytic::times::LayerCount& b);

/// Returns true for a layer of a block: attention, feed-forward, experts.
bool is_block(const analytic::transformer::shards::LayerShard& layer);

/// Returns the devices of each node's NVLink domain.
std::vector<int> domain_sizes(const Cluster& cluster);
/// Returns the devices of the smallest NVLink domain of the question's ranks.
int domain_devices(const Question& question);
/// Returns the NVLink domains over which a group of that many consecutive ranks is spread.
int domains_of_ranks(const Question& question, int ranks);

}  // namespace pipedeck::mesh
