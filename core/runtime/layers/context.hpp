// SPDX-License-Identifier: Apache-2.0
// Context parallelism (parallelism.md, section 3): each rank has some positions of every sample. Rank c of C has the
// chunks c and 2 C - 1 - c of 2 C, so that causal attention takes all ranks equally long.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/model/shard.hpp"
#include "core/runtime/layers/expert_exchange.hpp"
#include "core/runtime/layers/shard.hpp"

namespace pipedeck::runtime::layers {

/// A rank of a context-parallel group.
struct ContextShard {
  int rank = 0, degree = 1;
  std::int64_t sequence = 0;                     ///< positions of a whole sample
  std::shared_ptr<transport::Collective> group;  ///< null while layers are only checked
  ContextKind kind = ContextKind::ring;          ///< the exchange of attention
  /// Consecutive ranks that exchange heads, and the groups of these and of ranks as far apart, which pass keys and
  /// values on. The groups are null unless the kind has both.
  int heads_ranks = 1;
  std::shared_ptr<transport::Collective> heads_group, ring_group;

  /// Returns the positions of rank `of`, ascending.
  std::vector<std::int64_t> positions(int of) const;
  /// Returns the positions of all ranks that exchange heads with `of`, ascending.
  std::vector<std::int64_t> block_positions(int of) const;
  /// Returns the place among the ranks that exchange heads. Their positions, numbered among themselves, are those of a
  /// group of its own.
  ContextShard of_heads() const;
  /// Returns the place among the ranks that pass keys and values on.
  ContextShard of_ring() const;
};

/// Returns a rank's ranges of the positions of a sample, ascending. `sequence` is a multiple of 2 x `degree`, or
/// `degree` is 1.
std::vector<ShardRange> context_positions(std::int64_t sequence, int rank, int degree);

/// Returns the model of a rank: its layers have sequence / `degree` positions.
ModelSpec context_model(const ModelSpec& model, int degree);

/// Checks that ranks can compute each layer with some positions. Layers that treat each position by itself can, and
/// kinds with a factory in KernelRegistry::context. bad_input names the layer. A factory may refuse its layer's sizes
/// or the kind of exchange.
Result<void> check_context(const ModelSpec& model, const KernelRegistry& kernels, int degree);

/// Returns a rank's kernel of a layer, of context_model() if it is a context rank.
Result<std::unique_ptr<LayerKernel>> make_rank_layer(const ModelLayer& layer, const KernelRegistry& kernels,
                                                     const RankPlaces& places);
/// Returns a rank's kernels of the layers [first, last), which are not cut by columns. bad_input names a layer.
Result<std::vector<std::unique_ptr<LayerKernel>>> make_rank_layers(const ModelSpec& model, int first, int last,
                                                                   const KernelRegistry& kernels,
                                                                   const RankPlaces& places);

/// Returns the seats of a stage's ranks. Context and expert ranks have no groups yet.
Shard shard_of(const Stage& stage, int rank);
ContextShard context_of(const Stage& stage, int rank, std::int64_t sequence);
ExpertShard experts_of(const Stage& stage, int rank);

/// Checks that each layer can be sharded over the plan's tensor-parallel, context and expert ranks. The plan's stages
/// end before the loss. bad_input names the layer, at "/layers/..." or "/stages/.../tensor_parallel".
Result<void> check_shards(const ModelSpec& model, const Plan& plan, const KernelRegistry& kernels);

}  // namespace pipedeck::runtime::layers
