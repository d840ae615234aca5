// SPDX-License-Identifier: Apache-2.0
// Rules: megatron/training/arguments.py; docs/engines.md lists them.
#include "core/study/engines/megatron_model.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pipedeck::study::engines {
namespace {

/// Lines of `--name value`, and of `--name` alone.
class Lines {
 public:
  template <class Value>
  void add(std::string_view name, const Value& value) {
    text_ += fmt::format("  --{} {}\n", name, value);
  }
  void flag(std::string_view name, bool given) {
    if (given) text_ += fmt::format("  --{}\n", name);
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

void add_attention(Lines& lines, const TransformerConfig& config) {
  lines.add("num-attention-heads", config.heads);
  if (config.latent) {
    const LatentAttention& latent = *config.latent;
    lines.flag("multi-latent-attention", true);
    if (latent.query_rank > 0) lines.add("q-lora-rank", latent.query_rank);
    lines.add("kv-lora-rank", latent.key_value_rank);
    lines.add("qk-head-dim", latent.plain_width);
    lines.add("qk-pos-emb-head-dim", latent.rotary_width);
    lines.add("v-head-dim", latent.value_width);
    return;
  }
  if (config.head_width * config.heads != config.hidden) lines.add("kv-channels", config.head_width);
  if (config.key_value_heads == config.heads) return;
  lines.flag("group-query-attention", true);
  lines.add("num-query-groups", config.key_value_heads);
}

/// Blocks with experts are 1, those with a plain feed-forward layer 0.
std::string expert_pattern(const TransformerConfig& config) {
  std::vector<int> pattern(static_cast<std::size_t>(config.layers), 1);
  for (const int block : config.experts->dense)
    if (block >= 0 && block < config.layers) pattern[static_cast<std::size_t>(block)] = 0;
  return fmt::format("\"[{}]\"", fmt::join(pattern, ","));
}

void add_feed_forward(Lines& lines, const TransformerConfig& config) {
  lines.add("ffn-hidden-size", config.feed_forward);
  lines.flag("swiglu", config.gated);
  if (!config.experts) return;
  const Experts& experts = *config.experts;
  lines.add("num-experts", experts.count);
  lines.add("moe-router-topk", experts.per_token);
  lines.add("moe-ffn-hidden-size", experts.feed_forward);
  if (experts.shared_feed_forward > 0) lines.add("moe-shared-expert-intermediate-size", experts.shared_feed_forward);
  lines.flag("moe-shared-expert-gate", experts.shared_gate);
  lines.flag("moe-router-enable-expert-bias", experts.score_bias);
  if (!experts.dense.empty()) lines.add("moe-layer-freq", expert_pattern(config));
}

void add_positions(Lines& lines, const TransformerConfig& config, int sequence) {
  lines.add("seq-length", sequence);
  // Never below the sequence: validate_args asserts it.
  lines.add("max-position-embeddings", std::max({sequence, config.positions, config.longest}));
  lines.add("position-embedding-type", config.positions > 0 ? "learned_absolute" : "rope");
}

void add_norms_and_biases(Lines& lines, const TransformerConfig& config) {
  lines.add("normalization", config.norm == NormKind::rms ? "RMSNorm" : "LayerNorm");
  lines.flag("qk-layernorm", config.norm_heads);
  const bool biases = config.bias_output || config.bias_feed_forward;
  lines.flag("disable-bias-linear", !biases);
  lines.flag("add-qkv-bias", !biases && config.bias_query_key_value);
  lines.flag("untie-embeddings-and-output-weights", !config.tied);
}

void add_memory(Lines& lines, const AnalyticOptions& options, bool experts, const BlockUse& use) {
  // The simulated options: norms and dropout divided by tokens, attention's weights saved or not. Sharded experts need
  // the former (moe_layer.py).
  lines.flag("sequence-parallel", use.tensor > 1 && use.sequence.value_or(options.sequence_parallel || experts));
  if (options.attention == AttentionMemory::stored) lines.add("attention-backend", "unfused");
  if (options.attention == AttentionMemory::selective && !use.recompute)
    lines.add("recompute-granularity", "selective");
}

}  // namespace

std::string model_arguments(const TransformerOrigin& origin, const BlockUse& use) {
  const TransformerConfig& config = origin.config;
  Lines lines;
  lines.add("hidden-size", config.hidden);
  add_attention(lines, config);
  add_feed_forward(lines, config);
  add_positions(lines, config, sequence_of(config, origin.options));
  add_norms_and_biases(lines, config);
  lines.add("hidden-dropout", origin.options.dropout ? config.dropout : 0.0);
  lines.add("attention-dropout", origin.options.dropout ? config.attention_dropout : 0.0);
  add_memory(lines, origin.options, config.experts.has_value(), use);
  return std::move(lines).text();
}

}  // namespace pipedeck::study::engines
