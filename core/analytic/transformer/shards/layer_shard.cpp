// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/transformer/shards/layer_shard.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/analytic/transformer/block_configs.hpp"
#include "core/analytic/transformer/shards/collectives.hpp"
#include "core/analytic/transformer/shards/shard_sizes.hpp"
#include "core/base/limits.hpp"
#include "core/plan/mesh_rules.hpp"

namespace pipedeck::analytic::transformer::shards {
namespace {

using times::Cut;
using times::Part;

class Sharder {
 public:
  Sharder(const TransformerConfig& config, const times::LayerCount& layer, const ShardOptions& options)
      : config_(config),
        layer_(layer),
        options_(options),
        shard_(options.shard),
        sizes_(sizes_of(config, options)),
        tensor_(shard_.tensor) {}

  LayerShard make() {
    made_.name = layer_.name;
    made_.kind = layer_.kind;
    for (const times::GemmCount& product : layer_.gemms) add_product(product);
    add_traffic();
    for (const times::SavedItem& item : layer_.saved) keep(item);
    for (const times::WeightItem& item : layer_.weights) hold(item);
    // Section 2: with sequence parallelism each rank has the gradient of its own tokens; norms of heads always.
    if (shard_.divides_tokens()) made_.weights.tensor_reduced = made_.weights.whole;
    if (tensor_ == 1) made_.weights.tensor_reduced = 0;
    made_.output = layer_.output * (layer_.kind == "linear" ? share_of(true) : share_of(false));
    communicate();
    return std::move(made_);
  }

 private:
  bool is_block() const { return is_block_kind(layer_.kind); }
  bool recomputes(Part part) const {
    return is_block() && (options_.recomputed.blocks || options_.recomputed.parts.contains(part));
  }
  /// Returns the share of tokens x columns of a rank (sections 2, 3).
  double share_of(bool divided) const {
    return divided || shard_.divides_tokens() ? 1.0 / (shard_.context * tensor_) : 1.0 / shard_.context;
  }
  double share_of(bool divided, Part part) const {
    if (times::is_routed(part)) return divided ? sizes_.rows / shard_.expert_tensor : sizes_.rows;  // section 4
    return share_of(divided);
  }

  ShardProduct part_of(const times::GemmCount& whole) const {
    ShardProduct part{whole.name, WorkKind::product, whole.m, whole.k, whole.n, whole.times, whole.fused, whole.part};
    if (!whole.weights) {  // attention by heads and tokens (sections 2, 3)
      const double pieces = shard_.context_kind == ContextKind::gather ? 1 : shard_.sequence_ranks();
      part.kind = WorkKind::attention;
      part.times = whole.times * pieces / (tensor_ * shard_.heads_ranks());
      part.rows = whole.m / shard_.sequence_ranks();
      double& keys = whole.name == "scores" ? part.columns : part.inner;
      keys /= pieces;
      if (whole.fused) keys *= options_.pairs;
      return part;
    }
    const bool routed = times::is_routed(whole.part);
    if (routed) {  // section 4: E/e products of k r e x / E rows
      part.kind = WorkKind::grouped_product;
      part.rows = whole.m * sizes_.rows * shard_.expert;
      part.times = whole.times / shard_.expert;
    } else {
      const bool own = whole.cut == Cut::none && shard_.divides_tokens();
      part.rows = whole.m / (shard_.context * (own ? tensor_ : 1));
    }
    const int ranks = routed ? shard_.expert_tensor : tensor_;
    if (whole.cut == Cut::columns) part.columns /= ranks, part.column_ranks = ranks;
    if (whole.cut == Cut::rows) part.inner /= ranks, part.inner_ranks = ranks;
    part.joined = joined(whole.name);
    return part;
  }

  /// Returns the shares of a product's columns that are a weight matrix each.
  std::array<double, 3> joined(std::string_view product) const {
    if (product == "queries, keys, values") {
      const double all = config_.heads + 2.0 * config_.key_value_heads;
      return {config_.heads / all, config_.key_value_heads / all, config_.key_value_heads / all};
    }
    const bool gated =
        config_.gated && (product == "feed-forward in" || product == "shared experts in" || product == "experts in");
    return gated || product == "cross-attention keys and values" ? std::array{0.5, 0.5, 0.0}
                                                                 : std::array{1.0, 0.0, 0.0};
  }

  void add_product(const times::GemmCount& whole) {
    const ShardProduct part = part_of(whole);
    made_.forward.products.push_back(part);
    if (recomputes(whole.part)) made_.recompute.products.push_back(part);
    if (!whole.weights) {
      ShardProduct gradient = part;
      gradient.times *= whole.backward;
      made_.backward_input.products.push_back(gradient);
      return;
    }
    ShardProduct input = part, weight = part;
    std::swap(input.inner, input.columns);
    weight.rows = part.inner, weight.inner = part.rows;
    if (whole.backward > 1) made_.backward_input.products.push_back(input);
    made_.backward_weight.products.push_back(weight);
  }

  /// Adds traffic. As in times::layer_time, the backward moves twice as much, and launches twice as many kernels.
  void add_traffic() {
    int routed = 0, on_rank = 0;
    for (const times::GemmCount& product : layer_.gemms)
      if (times::is_routed(product.part)) {
        routed += static_cast<int>(product.times);
        on_rank += static_cast<int>(product.times) / shard_.expert;
      }
    for (const times::TrafficItem& item : layer_.traffic) {
      const double bytes = item.bytes * share_of(item.divided, item.part);
      made_.forward.memory_bytes += bytes;
      if (!recomputes(item.part)) continue;
      made_.recompute.memory_bytes += bytes;
      made_.recompute.launches += item.launches;
    }
    const double scores = layer_.score_traffic * share_of(true);
    made_.forward.memory_bytes += scores;
    made_.forward.launches = layer_.launches - routed + on_rank;
    PassWork& backward = layer_.is_embedding_input ? made_.backward_weight : made_.backward_input;
    backward.memory_bytes = 2 * made_.forward.memory_bytes + (layer_.recomputed_scores ? scores : 0);
    backward.launches = 2 * made_.forward.launches;
    if (recomputes(Part::attention_core)) made_.recompute.memory_bytes += scores;
    for (const ShardProduct& product : made_.recompute.products)
      made_.recompute.launches += product.kind == WorkKind::attention ? 1 : static_cast<int>(product.times);
    if (options_.recomputed.blocks && is_block()) made_.recompute.launches = made_.forward.launches;
  }

  void keep(const times::SavedItem& item) {
    if (item.name == expert_output && options_.weighs_activation) return;
    double share = share_of(item.divided, item.part);
    if (options_.keeps_gathered && item.gathered) share = 1.0 / shard_.context;
    double bytes = (item.bytes - item.key_values) * share;
    if (item.key_values > 0) bytes += item.key_values * sizes_.key_value_share / shard_.context;
    const bool discarded = recomputes(item.part) && item.part != Part::input;
    (discarded ? made_.restored : made_.kept).push_back({item.name, bytes});
  }

  void hold(const times::WeightItem& item) {
    if (times::is_routed(item.part)) {
      made_.weights.expert += item.count / (shard_.expert * shard_.expert_tensor);
      return;
    }
    made_.weights.dense += (item.count - item.whole) / tensor_;
    made_.weights.whole += item.whole;
    if (item.by_heads) made_.weights.tensor_reduced += item.whole;
  }

  void communicate() {
    const auto add = [&](std::vector<LayerCollective> some) {
      for (LayerCollective& one : some) {
        if (one.pass == Pass::forward && recomputes(one.part)) {
          LayerCollective again = one;
          again.pass = Pass::recompute;
          made_.collectives.push_back(std::move(again));
        }
        made_.collectives.push_back(std::move(one));
      }
    };
    add(tensor_collectives(config_, layer_, options_, sizes_));
    add(context_collectives(layer_, options_, sizes_));
    add(expert_collectives(config_, layer_, options_, sizes_));
    std::ranges::stable_sort(made_.collectives, {}, &LayerCollective::pass);
    for (const LayerCollective& one : made_.collectives)
      if (one.group == plan::GroupFamily::context_sequence && one.kind == CollectiveKind::all_gather)
        made_.workspace = std::max(made_.workspace, one.bytes * one.ranks / (one.ranks - 1));  // section 3: C U
  }

  const TransformerConfig& config_;
  const times::LayerCount& layer_;
  const ShardOptions& options_;
  const Shard& shard_;
  const ShardSizes sizes_;
  const int tensor_;
  LayerShard made_;
};

Result<void> check(const TransformerConfig& config, const ShardOptions& options) {
  const auto refuse = [](const char* name, double found, const char* expected) {
    return fail(ErrorCode::bad_usage, fmt::format("found {} of {}, expected {}", name, found, expected));
  };
  if (!(options.imbalance >= 1)) return refuse("an imbalance", options.imbalance, "1 or more");
  if (!(options.capacity >= 0)) return refuse("a capacity factor", options.capacity, "0 or more");
  if (options.domains < 1 || options.shard.expert % options.domains != 0)
    return refuse("a number of NVLink domains", options.domains, "a divisor of the expert ranks");
  plan::MeshQuestion question;
  question.model = &config;
  question.shard = options.shard;
  question.sequence = options.count.sequence;
  // The fewest devices that both meshes divide: all further ones are copies.
  const Shard& shard = options.shard;
  const std::int64_t devices =
      std::lcm(std::int64_t{shard.tensor} * shard.context, std::int64_t{shard.expert} * shard.expert_tensor);
  if (devices > limits::devices) return refuse("a number of devices", static_cast<double>(devices), "at most 65536");
  question.devices = static_cast<int>(devices);
  return plan::check_mesh(question);
}

constexpr std::array<std::pair<std::string_view, Part>, 10> modules{{
    {"core_attn", Part::attention_core},
    {"layernorm", Part::norm},
    {"mla_up_proj", Part::latent_up},
    {"mlp", Part::feed_forward},
    {"moe", Part::router},
    {"moe", Part::experts},
    {"moe", Part::expert_activation},
    {"moe", Part::shared_experts},
    {"moe_act", Part::expert_activation},
    {"shared_experts", Part::shared_experts},
}};

}  // namespace

Result<std::set<Part>> parts_of_module(std::string_view module) {
  std::set<Part> parts;
  std::string known;
  for (const auto& [name, part] : modules) {
    if (name == module) parts.insert(part);
    if (!known.ends_with(name)) known += (known.empty() ? "" : ", ") + std::string(name);
  }
  if (parts.empty())
    return fail(ErrorCode::bad_usage, fmt::format("found recompute module '{}', expected one of {}", module, known));
  return parts;
}

std::vector<std::string> modules_of_parts(const std::set<Part>& parts) {
  std::vector<std::string> names;
  std::set<Part> covered;
  for (const auto& [name, part] : modules) {
    std::set<Part> own = *parts_of_module(name);
    if (!std::ranges::includes(parts, own) || std::ranges::includes(covered, own)) continue;
    names.emplace_back(name);
    covered.merge(own);
  }
  return names;
}

double PassWork::flops() const {
  double sum = 0;
  for (const ShardProduct& product : products) sum += product.flops();
  return sum;
}

double bytes_of(const std::vector<KeptItem>& items) {
  double sum = 0;
  for (const KeptItem& item : items) sum += item.bytes;
  return sum;
}

double bytes_sent(const LayerShard& layer, plan::GroupFamily group, Pass pass) {
  double sum = 0;
  for (const LayerCollective& one : layer.collectives)
    if (one.group == group && one.pass == pass) sum += one.bytes;
  return sum;
}

LayerShard shard_layer(const TransformerConfig& config, const times::LayerCount& layer, const ShardOptions& options) {
  return shard_layer_of(BlockConfigs(config).of(layer.block), layer, options);
}

LayerShard shard_layer_of(const TransformerConfig& block, const times::LayerCount& layer, const ShardOptions& options) {
  return Sharder(block, layer, options).make();
}

Result<std::vector<LayerShard>> shard_layers(const TransformerConfig& config, const ShardOptions& options) {
  TRY_VOID(check(config, options));
  TransformerConfig padded = config;
  padded.vocabulary = plan::padded_vocabulary(config.vocabulary, options.shard.tensor, options.vocabulary_multiple);
  const BlockConfigs blocks(padded);
  std::vector<LayerShard> layers;
  for (const times::LayerCount& layer : count_layers(padded, options.count).layers)
    layers.push_back(shard_layer_of(blocks.of(layer.block), layer, options));
  return layers;
}

}  // namespace pipedeck::analytic::transformer::shards
