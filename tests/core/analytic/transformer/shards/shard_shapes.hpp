// SPDX-License-Identifier: Apache-2.0
// Shapes of published models, and how tests look into a shard.
#pragma once

#include <string>
#include <vector>

#include <QTest>

#include "core/analytic/transformer/shards/layer_shard.hpp"

namespace pipedeck::test {

inline TransformerConfig llama(int hidden, int layers, int heads, int key_value_heads, int feed_forward,
                               std::int64_t vocabulary = 128256) {
  TransformerConfig config;
  config.name = config.family = "llama";
  config.hidden = hidden, config.layers = layers, config.heads = heads, config.key_value_heads = key_value_heads;
  config.head_width = hidden / heads, config.feed_forward = feed_forward, config.gated = true;
  config.norm = NormKind::rms, config.vocabulary = vocabulary, config.longest = 131072;
  return config;
}
inline TransformerConfig llama_405b() { return llama(16384, 126, 128, 8, 53248); }
inline TransformerConfig llama_70b() { return llama(8192, 80, 64, 8, 28672); }

inline TransformerConfig qwen3_235b() {
  TransformerConfig config = llama(4096, 94, 64, 4, 12288, 151936);
  config.head_width = 128, config.norm_heads = true;
  config.experts.emplace();
  config.experts->count = 128, config.experts->per_token = 8, config.experts->feed_forward = 1536;
  return config;
}

inline TransformerConfig deepseek_v3() {
  TransformerConfig config = llama(7168, 61, 128, 128, 18432, 129280);
  config.head_width = 128;
  config.latent = LatentAttention{1536, 512, 128, 64, 128};
  config.experts.emplace();
  config.experts->count = 256, config.experts->per_token = 8, config.experts->feed_forward = 2048;
  config.experts->shared_feed_forward = 2048, config.experts->score_bias = true, config.experts->dense = {0, 1, 2};
  return config;
}

/// A GPT of Korthikanti et al., with both dropouts.
inline TransformerConfig gpt(int heads, int hidden, int layers = 2) {
  TransformerConfig config;
  config.name = config.family = "gpt2";
  config.hidden = hidden, config.layers = layers;
  config.heads = config.key_value_heads = heads, config.head_width = hidden / heads;
  config.feed_forward = 4 * hidden, config.vocabulary = 51200, config.positions = config.longest = 2048;
  config.bias_query_key_value = config.bias_output = config.bias_feed_forward = true;
  config.dropout = config.attention_dropout = 0.1;
  return config;
}

namespace shards = analytic::transformer::shards;

inline std::vector<shards::LayerShard> shards_of(const TransformerConfig& config, const shards::ShardOptions& options) {
  auto made = shards::shard_layers(config, options);
  if (!made) qFatal("%s", made.error().message.c_str());
  return *std::move(made);
}

inline shards::LayerShard shard_named(const TransformerConfig& config, const shards::ShardOptions& options,
                                      const std::string& name) {
  for (const shards::LayerShard& layer : shards_of(config, options))
    if (layer.name == name) return layer;
  qFatal("no layer %s", name.c_str());
}

/// Collectives of a group's family and pass.
inline std::vector<shards::LayerCollective> collectives_of(const shards::LayerShard& layer, plan::GroupFamily group,
                                                           Pass pass) {
  std::vector<shards::LayerCollective> found;
  for (const shards::LayerCollective& one : layer.collectives)
    if (one.group == group && one.pass == pass) found.push_back(one);
  return found;
}

inline double kept_named(const std::vector<shards::KeptItem>& items, const std::string& name) {
  double sum = 0;
  for (const shards::KeptItem& item : items)
    if (item.name == name) sum += item.bytes;
  return sum;
}

}  // namespace pipedeck::test
