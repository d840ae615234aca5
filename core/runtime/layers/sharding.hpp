// SPDX-License-Identifier: Apache-2.0
// Sharding of the layers of a tensor-parallel stage over the devices of a replica.
//
// Between layers a tensor is replicated on every rank, or column-sharded: every rank has its columns of each row. A
// product may be sharded by columns (Whale's SP1, Jia et al., ATC 2022, figure 6; Megatron-LM's first product, arXiv
// 1909.08053). It takes a replicated input, its output is column-sharded, and it sums the input's gradient over the
// ranks. Or it is sharded by rows (SP2, Megatron's second product): it takes a column-sharded input and sums its
// output. A column-sharded tensor is gathered where the whole is needed; its whole gradient is then available on every
// rank. At a stage's ends tensors are replicated, except between identically sharded stages (the fused bridge of
// section 3.2.2).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/shard.hpp"

namespace pipedeck::runtime::layers {

enum class ShardingKind {
  replicated,  ///< replicated: every rank computes the whole layer, with the same parameters and gradients
  internal,    ///< replicated to replicated, sharded inside the layer
  columns,     ///< replicated to column-sharded
  rows,        ///< column-sharded (or its own shard of a whole) to replicated
  channels,    ///< column-sharded to column-sharded: each channel by itself
};

struct ShardingChoice {
  ShardingKind pattern = ShardingKind::replicated;
  bool input_whole = true, output_whole = true;
  /// Columns of its input. If the input is column-sharded, they are those of the layer before. A linear layer that
  /// takes pixels for numbers has them several times side by side in its input.
  std::int64_t input_columns = 0;
  bool operator==(const ShardingChoice&) const = default;
};

/// A rank's group and its choice of sharding, for a kernel.
struct LayerSharding {
  TensorParallelGroup partners;
  ShardingChoice choice;
};

/// A sharding of a layer.
struct ShardingOption {
  ShardingStep step;
  ShardingChoice choice;
};

/// The shardings of a layer, in order of preference, for a model whose layers form a sequence.
struct LayerShardings {
  std::vector<ShardingOption> ways;
  std::int64_t input_columns = 0, output_columns = 0;  ///< of its kind; 0: its tensors cannot be column-sharded
};

/// Returns the shardings of the layers [0, last) of `model`. The loss takes the output of the model's last layer
/// column-sharded if it is. bad_input if a layer has no kernel.
Result<std::vector<LayerShardings>> sharding_ways(const ModelSpec& model, int last, const KernelRegistry& kernels,
                                                  int degree);

/// Returns the cheapest patterns of the layers [first, last) of `model` by Whale's cost, in values per sample: a gather
/// costs the tensor's width and a sum twice that, forward and backward. Ties go to fewer replicated layers. The last
/// output is replicated, or stays column-sharded if the model's loss accepts it. bad_input names a layer with fewer
/// columns than ranks.
Result<std::vector<ShardingChoice>> choose_sharding(const ModelSpec& model, int first, int last,
                                                    const KernelRegistry& kernels, int degree);

/// Returns a rank's kernel of a sharded layer.
Result<std::unique_ptr<LayerKernel>> make_sharded_layer(const ModelLayer& layer, const KernelRegistry& kernels,
                                                        const LayerSharding& sharding);

struct ShardedLayers {
  std::vector<std::unique_ptr<LayerKernel>> layers;
  std::optional<TensorParallelGroup> loss;  ///< set if the last output is column-sharded: the loss takes it so
};

/// A range of layers of consecutive stages with the same sharding: equal numbers of replicas with the same samples, and
/// equal numbers of devices with the same shards. Between such stages a tensor may stay column-sharded.
struct UniformShardRange {
  int first = 0, last = 0;
};
UniformShardRange uniform_shard_range(const Plan& plan, std::size_t stage);

/// Returns the rank's kernels of the layers [first, last) of `model`, which is known to be trainable on one device
/// (make_layers). Patterns are chosen for all of `alike`, which contains these layers, or else for these. Kernels call
/// `group` (of the shard's rank and degree) in the same order on every rank, in forward and backward_input. Weight
/// gradients stay on each rank. `places` has the rank's other groups; with a context rank the model is
/// context_model(). Fails like choose_sharding;
/// bad_input also if a layer cannot be sharded over that degree.
Result<ShardedLayers> make_sharded_layers(const ModelSpec& model, int first, int last, const KernelRegistry& kernels,
                                          const Shard& shard, std::shared_ptr<transport::Collective> group,
                                          std::optional<UniformShardRange> alike = {}, RankPlaces places = {});

}  // namespace pipedeck::runtime::layers
