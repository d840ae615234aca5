// SPDX-License-Identifier: Apache-2.0
// A rank's part of a transformer's layer, for any degrees of tensor, sequence, context and expert parallelism: compute,
// communication, bytes kept for the backward, weights (parallelism.md, with sources: comments of this folder name its
// sections). Letters: b samples of a micro-batch on a data rank, s tokens per sample, n = b s / C tokens of a rank's
// share, r those of a rank alone (n / T with sequence parallelism), h hidden, a heads and g key-value heads of width d,
// T tensor, C context, e expert, x expert-tensor ranks, w bytes per element.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/analytic/times/layer_count.hpp"
#include "core/analytic/transformer/layers.hpp"
#include "core/base/result.hpp"
#include "core/model/pass.hpp"
#include "core/model/shard.hpp"
#include "core/model/transformer_config.hpp"
#include "core/plan/groups.hpp"

namespace pipedeck::analytic::transformer::shards {

/// A way by which tokens reach their experts (Megatron-LM, moe-token-dispatcher-type).
enum class Dispatcher {
  all_to_all,  ///< each token once for each of its experts
  all_gather,  ///< each token to all ranks
  flex,        ///< each token once to each NVLink domain, and copied inside (DeepEP, HybridEP)
};

/// A choice of recomputation in the backward: whole blocks, or parts of them.
struct Recomputed {
  bool blocks = false;            ///< each block by itself, from its input
  std::set<times::Part> parts{};  ///< of every block, if not `blocks`
};
/// Returns the parts of Megatron-LM's recompute module: core_attn, layernorm, mla_up_proj, mlp, moe, moe_act,
/// shared_experts. bad_usage lists them.
Result<std::set<times::Part>> parts_of_module(std::string_view module);

/// A set of options of the engine and of the run that a layer's costs depend on.
struct ShardOptions {
  CountOptions count;  ///< `micro_batch`: b, `sequence`: s
  Shard shard;
  Recomputed recomputed;
  Dispatcher dispatcher = Dispatcher::all_to_all;
  double imbalance = 1;  ///< rows of the fullest rank's experts over the mean, 1 or more
  double capacity = 0;   ///< capacity factor: experts take as many rows, padded, whatever the routing; 0: dropless
  int domains = 1;       ///< NVLink domains over which the expert ranks are spread, evenly
  int most_domains = 0;  ///< to which a token's experts are limited (arXiv 2412.19437, section 2.1.2); 0: any
  double dispatch_element = 0;  ///< bytes per element of dispatched tokens, with scales; 0: as `count.element`
  bool hides_behind_shared_experts = false;  ///< dispatch and combine (moe-shared-expert-overlap)
  bool weighs_activation = false;            ///< probabilities weigh the activation, so the experts' output is not kept
  bool keeps_gathered = false;               ///< gathered inputs are kept whole instead of gathered again (torchtitan)
  bool fused_loss = false;                   ///< two all-reduces instead of three
  bool sends_output_back = false;  ///< exchanged heads: backward exchanges the output, too (TransformerEngine < 2.8)
  int vocabulary_multiple = 0;     ///< words are padded to a multiple of this x T; 0: not padded
};

enum class WorkKind { product, grouped_product, attention };

/// A group of `times` matmuls of rows x inner by inner x columns.
struct ShardProduct {
  std::string name;  ///< as GemmCount::name
  WorkKind kind = WorkKind::product;
  double rows = 0, inner = 0, columns = 0, times = 1;
  bool fused = false;  ///< part of a kernel that does not store the attention weights
  times::Part part = times::Part::rest;
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

}  // namespace pipedeck::analytic::transformer::shards
