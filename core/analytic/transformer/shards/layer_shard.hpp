// SPDX-License-Identifier: Apache-2.0
// A rank's part of a transformer's layer, for any degrees of tensor, sequence, context and expert parallelism: compute,
// communication, bytes kept for the backward, weights (parallelism.md, with sources: comments of this folder name its
// sections). Letters: b samples of a micro-batch on a data rank, s tokens per sample, n = b s / C tokens of a rank's
// share, r those of a rank alone (n / T with sequence parallelism), h hidden, a heads and g key-value heads of width d,
// T tensor, C context, e expert, x expert-tensor ranks, w bytes per element.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/analytic/times/layer_count.hpp"
#include "core/analytic/transformer/layers.hpp"
#include "core/base/result.hpp"
#include "core/model/pass.hpp"
#include "core/model/shard.hpp"
#include "core/model/training.hpp"
#include "core/model/transformer_config.hpp"
#include "core/plan/groups.hpp"

namespace pipedeck::analytic::transformer::shards {

/// A choice of recomputation in the backward: whole blocks, or parts of them.
struct Recomputed {
  bool blocks = false;            ///< each block by itself, from its input
  int count = -1;                 ///< with `blocks`: that number of each stage; -1: all of them
  bool operations = false;        ///< with `blocks`: all but attention and every second product (torchtitan)
  std::set<times::Part> parts{};  ///< of every block, if not `blocks`
};
/// Returns the parts of Megatron-LM's recompute module: core_attn, layernorm, mla_up_proj, mlp, moe, moe_act,
/// shared_experts. bad_usage lists them.
Result<std::set<times::Part>> parts_of_module(std::string_view module);
/// Returns the modules that have none but these parts, in the order above.
std::vector<std::string> modules_of_parts(const std::set<times::Part>& parts);

/// A set of options of the engine and of the run that a layer's costs depend on.
struct ShardOptions : LayerChoices {
  CountOptions count;  ///< `micro_batch`: b, `sequence`: s
  Shard shard;
  Recomputed recomputed;
  int domains = 1;          ///< NVLink domains over which the expert ranks are spread, evenly
  bool fused_loss = false;  ///< two all-reduces instead of three
  double pairs = 1;         ///< share of the pairs of tokens that fused attention computes: those inside packed samples
};

enum class WorkKind { product, grouped_product, attention };

/// A group of `times` matmuls of rows x inner by inner x columns.
struct ShardProduct {
  std::string name;  ///< as GemmCount::name
  WorkKind kind = WorkKind::product;
  double rows = 0, inner = 0, columns = 0, times = 1;
  bool fused = false;  ///< part of a kernel that does not store the attention weights
  times::Part part = times::Part::rest;
  std::array<double, 3> joined{1, 0, 0};  ///< shares of columns of each weight matrix, if engines join several
  int inner_ranks = 1, column_ranks = 1;  ///< that divide the weights' rows and columns
  double flops() const { return 2 * rows * inner * columns * times; }
};

/// A pass's compute on a rank.
struct PassWork {
  std::vector<ShardProduct> products;
  double memory_bytes = 0;  ///< read and written in addition to products
  int launches = 0;         ///< kernels
  double flops() const;
};

struct LayerCollective {
  std::string name;  ///< "input of feed-forward in"
  plan::GroupFamily group = plan::GroupFamily::tensor;
  CollectiveKind kind = CollectiveKind::all_gather;
  Pass pass = Pass::forward;
  int ranks = 1;
  double bytes = 0;    ///< that a rank sends
  double leaving = 0;  ///< those of them that leave its NVLink domain, if the group is spread over several
  Behind behind = Behind::nothing;
  std::string product{};  ///< whose gradient hides it, or, of tensor ranks, whose input or output it carries
  times::Part part = times::Part::rest;
};

struct KeptItem {
  std::string name;
  double bytes = 0;
};

/// A number of weights on a rank, by the ranks that hold the same ones.
struct ShardWeights {
  double dense = 0;           ///< cut by T, held by D C ranks
  double whole = 0;           ///< held by all T D C ranks: norms, routers
  double expert = 0;          ///< cut by e x, held by D_e ranks
  double tensor_reduced = 0;  ///< part of `whole` whose gradients tensor-parallel ranks all-reduce once a step
  double all() const { return dense + whole + expert; }
};

struct LayerShard {
  std::string name, kind;  ///< as LayerCount
  PassWork forward, recompute, backward_input, backward_weight;
  std::vector<LayerCollective> collectives;  ///< by pass, in the order of the forward
  std::vector<KeptItem> kept;                ///< from forward to backward
  std::vector<KeptItem> restored;            ///< by recomputation, for the layer's backward alone
  ShardWeights weights;
  double output = 0;     ///< bytes to the next layer
  double workspace = 0;  ///< bytes of gathered keys and values
};

double bytes_of(const std::vector<KeptItem>& items);
/// Returns the bytes that a rank sends in that pass, over groups of that family.
double bytes_sent(const LayerShard& layer, plan::GroupFamily group, Pass pass);

/// Returns a rank's part of every layer of the model, in the order of count_layers(). bad_input if the degrees do not
/// divide the model (plan::check_mesh); bad_usage if an option is out of range.
Result<std::vector<LayerShard>> shard_layers(const TransformerConfig& config, const ShardOptions& options);

/// Returns a rank's part of one counted layer of the model. The degrees must divide the model. The layer is counted for
/// options.count.
LayerShard shard_layer(const TransformerConfig& config, const times::LayerCount& layer, const ShardOptions& options);
/// As shard_layer, with the configuration of the layer's block (BlockConfigs).
LayerShard shard_layer_of(const TransformerConfig& block, const times::LayerCount& layer, const ShardOptions& options);

}  // namespace pipedeck::analytic::transformer::shards
