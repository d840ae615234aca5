// SPDX-License-Identifier: Apache-2.0
// How the layers of a tensor-parallel stage are cut over the devices of a replica.
//
// Between layers a tensor is whole on every rank, or in columns: every rank has its columns of each row. A product is
// cut by columns (Whale's SP1, Jia et al., ATC 2022, figure 6; Megatron-LM's first product, arXiv 1909.08053): it takes
// a whole input, gives its output in columns, and sums the input's gradient over the ranks. Or by rows (SP2, Megatron's
// second product): it takes its input in columns and sums its output. What is in columns is gathered where the whole is
// wanted, and then the gradient of the whole is there on every rank. At a stage's ends tensors are whole, but between
// stages that are cut alike (the fused bridge of section 3.2.2).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/domain/model.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/profile.hpp"
#include "core/domain/result.hpp"
#include "core/runtime/layer_kernel.hpp"
#include "core/runtime/shard.hpp"

namespace pipedeck {

enum class CutPattern {
  alike,     ///< computed alike on every rank, whole to whole: parameters and their gradients are the same everywhere
  inside,    ///< whole to whole, cut inside the layer
  columns,   ///< whole to columns
  rows,      ///< columns (or its own part of a whole) to whole
  channels,  ///< columns to columns: each channel by itself
};

struct ShardingChoice {
  CutPattern pattern = CutPattern::alike;
  bool input_whole = true, output_whole = true;
  /// That its input is cut in: those of the layer before where it comes in columns, which lie several times side by
  /// side in the input of a linear layer that takes pixels for numbers.
  std::int64_t input_columns = 0;
  bool operator==(const ShardingChoice&) const = default;
};

/// What a kernel of one rank has to know.
struct LayerSharding {
  Partners partners;
  ShardingChoice choice;
};

/// One way to cut a layer.
struct ShardingWay {
  CutStep step;
  ShardingChoice choice;
};

/// All of a layer, in the order in which they are preferred, where the model's layers follow one another.
struct LayerWays {
  std::vector<ShardingWay> ways;
  std::int64_t input_columns = 0, output_columns = 0;  ///< of its kind; 0: its tensors are cut in none
};

/// Of the layers [0, last) of `model`. What the model's last layer leaves in columns its loss takes so. bad_input where
/// a layer has no kernel.
Result<std::vector<LayerWays>> sharding_ways(const ModelSpec& model, int last, const Kernels& kernels, int degree);

/// The cheapest patterns of the layers [first, last) of `model`, as Whale reckons it: in values a sample a gather is
/// the tensor's width and a sum twice that, forward and backward. Of equal ones that with fewer layers computed alike.
/// The last one's output is whole, or stays in columns where the model's loss takes it so. bad_input names a layer with
/// fewer columns than ranks.
Result<std::vector<ShardingChoice>> choose_sharding(const ModelSpec& model, int first, int last, const Kernels& kernels,
                                                    int degree);

/// A rank's kernel of one layer that is cut so.
Result<std::unique_ptr<LayerKernel>> make_sharded_layer(const ModelLayer& layer, const Kernels& kernels,
                                                        const LayerSharding& sharding);

struct ShardedLayers {
  std::vector<std::unique_ptr<LayerKernel>> layers;
  std::optional<Partners> loss;  ///< the last one's output is in columns: the loss is taken so
};

/// Layers of stages one behind the other that are cut alike: as many replicas with the same samples, as many devices
/// in each with the same shards. Between such stages a tensor may stay in columns.
struct LayersCutAlike {
  int first = 0, last = 0;
};
LayersCutAlike cut_alike_with(const Plan& plan, std::size_t stage);

/// The rank's kernels of the layers [first, last) of `model`, which is known to be trainable on one device
/// (make_layers). Patterns are chosen for all of `alike`, which has these layers among its own; without it, for these.
/// Kernels call `group` (of the shard's rank and degree) in the same order on every rank, from forward and
/// backward_input: weights' gradients are each rank's own. bad_input as choose_sharding, or where a layer can't be cut
/// so often.
Result<ShardedLayers> make_sharded_layers(const ModelSpec& model, int first, int last, const Kernels& kernels,
                                          const Shard& shard, std::shared_ptr<Collective> group,
                                          std::optional<LayersCutAlike> alike = {});

}  // namespace pipedeck
