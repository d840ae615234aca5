// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/stages.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/analytic/transformer/block_configs.hpp"
#include "core/mesh/sample_lengths.hpp"
#include "core/plan/blocks.hpp"
#include "core/plan/mesh_rules.hpp"

namespace pipedeck::mesh {
namespace {

using analytic::transformer::shards::LayerShard;
using analytic::transformer::shards::ShardOptions;

ModelParts parts_of(StageLayers layers) {
  ModelParts model;
  std::string_view last;
  for (LayerShard& layer : layers) {
    if (!is_block(layer)) {
      (model.blocks.empty() ? model.before : model.after).push_back(std::move(layer));
      continue;
    }
    const std::string_view block = plan::block_name(layer.name);
    if (model.blocks.empty() || block != last) model.blocks.emplace_back();
    model.blocks.back().push_back(std::move(layer));
    last = plan::block_name(model.blocks.back().back().name);
  }
  model.order.resize(model.blocks.size());
  std::iota(model.order.begin(), model.order.end(), std::size_t{0});
  return model;
}

Result<ShardOptions> options_of(const Question& question) {
  ShardOptions options = question.layer;
  const Shard& shard = options.shard;
  options.domains = std::gcd(domains_of_ranks(question, shard.expert * shard.expert_tensor), shard.expert);
  TRY(const PackedWork work, packed_work(question));
  options.pairs = work.share;
  return options;
}

Result<ModelParts> model_of(const Question& question, bool recomputes) {
  TRY(ShardOptions options, options_of(question));
  if (!recomputes) options.recomputed.blocks = false;
  TRY(auto layers, analytic::transformer::shards::shard_layers(question.config, options));
  return parts_of(std::move(layers));
}

/// Returns the product of 2h x h that joins the last block's output with the next token's embedding, and its two norms
/// (DeepSeek-V3, arXiv 2412.19437, section 2.2).
LayerShard joining_product(const Question& question, const LayerShard& like) {
  const double hidden = question.config.hidden, share = 1.0 / question.shard().context;
  const double tokens = static_cast<double>(question.layer.count.micro_batch) * question.layer.count.sequence * share;
  const double tensor = question.shard().tensor;
  LayerShard layer;
  layer.name = "multi_token.join", layer.kind = "linear";
  analytic::transformer::shards::ShardProduct product;
  product.name = "join", product.rows = tokens, product.inner = 2 * hidden, product.columns = hidden / tensor;
  layer.forward.products.push_back(product);
  std::swap(product.inner, product.columns);
  layer.backward_input.products.push_back(product);
  std::swap(product.inner, product.columns);
  std::swap(product.rows, product.inner);
  layer.backward_weight.products.push_back(product);
  layer.forward.launches = 3, layer.backward_input.launches = 6;
  layer.weights.dense = 2 * hidden * hidden / tensor, layer.weights.whole = 2 * hidden;
  const double kept =
      question.layer.count.element * tokens * hidden * (question.shard().divides_tokens() ? 1 / tensor : 1);
  layer.kept = {{"multi-token: inputs of norms", 2 * kept}, {"multi-token: input of the product", 2 * kept}};
  layer.output = like.output;
  return layer;
}

/// Lets each stage's blocks behind the first `count` keep what the others recompute.
Result<void> keep_blocks(const Question& question, const std::vector<int>& counts, ModelParts& model) {
  TRY(ModelParts whole, model_of(question, false));
  std::size_t first = 0;
  for (const int own : counts) {
    const std::size_t end = first + static_cast<std::size_t>(own);
    for (std::size_t b = first + static_cast<std::size_t>(question.layer.recomputed.count); b < end; ++b)
      model.blocks[b] = std::move(whole.blocks[b]);
    first = end;
  }
  return {};
}

void add(StageLayers& stage, const StageLayers& layers) { stage.insert(stage.end(), layers.begin(), layers.end()); }

}  // namespace

Result<ModelParts> different_parts(const Question& question) {
  TRY(const ShardOptions options, options_of(question));
  TransformerConfig padded = question.config;
  padded.vocabulary =
      plan::padded_vocabulary(padded.vocabulary, question.shard().tensor, question.layer.vocabulary_multiple);
  const analytic::transformer::BlockConfigs configs(padded);
  const auto layers = analytic::transformer::count_layers(padded, question.layer.count).layers;
  std::vector<std::span<const analytic::times::LayerCount>> blocks;
  ModelParts model;
  const auto same_layer = [&](const analytic::times::LayerCount& a, const analytic::times::LayerCount& b) {
    return &configs.of(a.block) == &configs.of(b.block) && are_alike(a, b);
  };
  for (std::size_t i = 0; i < layers.size();) {
    if (!analytic::transformer::is_block_kind(layers[i].kind)) {
      (model.order.empty() ? model.before : model.after)
          .push_back(shard_layer_of(configs.of(layers[i].block), layers[i], options));
      ++i;
      continue;
    }
    const std::string_view name = plan::block_name(layers[i].name);
    std::size_t end = i;
    while (end < layers.size() && analytic::transformer::is_block_kind(layers[end].kind) &&
           plan::block_name(layers[end].name) == name)
      ++end;
    const std::span block(layers.begin() + static_cast<std::ptrdiff_t>(i), end - i);
    const auto same =
        std::ranges::find_if(blocks, [&](const auto& one) { return std::ranges::equal(one, block, same_layer); });
    model.order.push_back(static_cast<std::size_t>(same - blocks.begin()));
    if (same == blocks.end()) {
      blocks.push_back(block);
      StageLayers& made = model.blocks.emplace_back();
      for (const analytic::times::LayerCount& layer : block)
        made.push_back(shard_layer_of(configs.of(layer.block), layer, options));
    }
    i = end;
  }
  return model;
}

bool are_alike(const analytic::times::LayerCount& a, const analytic::times::LayerCount& b) {
  const auto figures = [](const analytic::times::LayerCount& layer) {
    return std::tuple(layer.kind, analytic::times::forward_operations(layer), analytic::times::weight_count(layer),
                      analytic::times::saved_bytes(layer), layer.elementwise_bytes, layer.score_traffic, layer.output,
                      layer.launches, layer.is_embedding_input);
  };
  return figures(a) == figures(b);
}

bool is_block(const LayerShard& layer) { return analytic::transformer::is_block_kind(layer.kind); }

std::vector<int> domain_sizes(const Cluster& cluster) {
  std::map<std::string_view, int> domains;
  for (const Node& node : cluster.nodes)
    if (!node.domain.empty()) domains[node.domain] += device_count(node);
  std::vector<int> sizes;
  for (const Node& node : cluster.nodes)
    sizes.push_back(node.domain.empty() ? device_count(node) : domains[node.domain]);
  return sizes;
}

int domain_devices(const Question& question) {
  const Cluster& cluster = *question.cluster;
  const std::vector<int> sizes = domain_sizes(cluster);
  if (sizes.empty()) return 1;
  if (question.placement.empty() && std::ranges::all_of(sizes, [&](int one) { return one == sizes.front(); }))
    return std::max(1, sizes.front());
  const std::vector<Device> devices = devices_of(cluster);
  int least = std::numeric_limits<int>::max();
  for (int rank = 0; rank < question.devices(); ++rank)
    if (const std::size_t device = question.device(rank).index(); device < devices.size())
      least = std::min(least, sizes[devices[device].node.index()]);
  return std::max(1, least);
}

int domains_of_ranks(const Question& question, int ranks) {
  const int domain = domain_devices(question);
  return (ranks + domain - 1) / domain;
}

std::vector<int> blocks_of_stages(const Question& question) {
  if (!question.blocks.empty()) return question.blocks;
  const int stages = question.pipeline * question.virtual_stages, all = question.config.layers;
  std::vector<int> blocks(static_cast<std::size_t>(stages), all / stages);
  // The remainder goes to the middle; the last stage, with the head, is the last to get one.
  for (int i = 0; i < all % stages; ++i) ++blocks[static_cast<std::size_t>((i + 1) % stages)];
  return blocks;
}

Result<std::vector<StageLayers>> stage_layers(const Question& question) {
  const auto& recomputed = question.layer.recomputed;
  TRY(ModelParts model, model_of(question, true));
  const std::vector<int> counts = blocks_of_stages(question);
  const int all = std::accumulate(counts.begin(), counts.end(), 0);
  if (all != static_cast<int>(model.order.size()) ||
      counts.size() != static_cast<std::size_t>(question.pipeline) * static_cast<std::size_t>(question.virtual_stages))
    return fail(ErrorCode::bad_input, fmt::format("found {} blocks in {} stages, expected {} in {}", all, counts.size(),
                                                  model.order.size(), question.pipeline * question.virtual_stages));
  if (recomputed.blocks && recomputed.count >= 0) TRY_VOID(keep_blocks(question, counts, model));
  std::vector<StageLayers> stages(counts.size());
  std::size_t next = 0;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const std::size_t end = next + static_cast<std::size_t>(counts[s]);
    stages[s] = layers_of_stage(question, model, s, stages.size(), next, end);
    next = end;
  }
  return stages;
}

std::span<const LayerShard> without_multi_token(const StageLayers& stage) {
  const auto first =
      std::ranges::find_if(stage, [](const LayerShard& one) { return one.name.starts_with("multi_token"); });
  return {stage.begin(), first};
}

StageLayers layers_of_stage(const Question& question, const ModelParts& model, std::size_t s, std::size_t stages,
                            std::size_t first, std::size_t last) {
  StageLayers stage;
  if (s == 0) add(stage, model.before);
  for (std::size_t b = first; b < last; ++b) add(stage, model.blocks[model.order[b]]);
  if (s + 1 < stages) return stage;
  add(stage, model.after);
  const StageLayers& block = model.blocks[model.order.back()];
  for (int i = 0; i < question.training.multi_token_blocks; ++i) {
    stage.push_back(joining_product(question, block.front()));
    add(stage, block);
    StageLayers ends = model.after;
    for (LayerShard& layer : ends) layer.weights = {};  // the head is shared
    add(stage, ends);
  }
  return stage;
}

}  // namespace pipedeck::mesh
