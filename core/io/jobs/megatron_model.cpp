// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/megatron_model.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/jobs/megatron_layout.hpp"

namespace pipedeck::io::jobs {
namespace {

struct Vocabulary {
  std::string_view part;  ///< of the tokenizer's type or file, in small letters
  std::int64_t count;
};
// Vocabularies of published models, by their config.json.
constexpr std::array<Vocabulary, 10> known_words{{{"gpt2bpe", 50257},
                                                  {"llama-3", 128256},
                                                  {"llama3", 128256},
                                                  {"llama-2", 32000},
                                                  {"llama2", 32000},
                                                  {"mixtral", 32000},
                                                  {"mistral", 32000},
                                                  {"qwen", 151936},
                                                  {"deepseek-v3", 129280},
                                                  {"gpt-oss", 201088}}};
constexpr std::int64_t usual_words = 128'256;

std::int64_t vocabulary_of(Options& options) {
  const std::string type = options.word("tokenizer-type");
  if (const int words = options.number("vocab-size", 0, 1); words > 0)
    return type == "NullTokenizer" ? std::int64_t{words} + 1 : words;
  std::string names = type;
  for (const std::string& word : options.list("tokenizer-model")) names += " " + word;
  std::ranges::transform(names, names.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [part, count] : known_words)
    if (names.find(part) != names.npos) {
      options.assume(fmt::format("a vocabulary of {} words, that of the tokenizer {}", count, part));
      return count;
    }
  options.assume(
      fmt::format("a vocabulary of {} words: neither --vocab-size nor a known tokenizer is given", usual_words));
  return usual_words;
}

void read_attention(Options& options, TransformerConfig& config) {
  config.heads = config.key_value_heads = options.number("num-attention-heads", 0, 1);
  if (config.heads == 0) return options.refuse("num-attention-heads", "found none, expected it with --hidden-size");
  if (options.flag("multi-latent-attention")) {
    LatentAttention& latent = config.latent.emplace();
    latent.query_rank = options.number("q-lora-rank");
    latent.key_value_rank = options.number("kv-lora-rank", 32, 1);
    latent.plain_width = options.number("qk-head-dim", 128, 1);
    latent.rotary_width = options.number("qk-pos-emb-head-dim", 64);
    latent.value_width = options.number("v-head-dim", 128, 1);
    config.head_width = latent.plain_width + latent.rotary_width;
    options.number("kv-channels");
    return;
  }
  const int width = options.number("kv-channels", 0, 1);
  if (width == 0 && config.hidden % config.heads != 0)
    return options.refuse("hidden-size",
                          fmt::format("found {}, expected a multiple of {} heads", config.hidden, config.heads));
  config.head_width = width > 0 ? width : config.hidden / config.heads;
  const int groups = options.number("num-query-groups", 1, 1);
  if (options.flag("group-query-attention")) config.key_value_heads = groups;
  if (config.heads % config.key_value_heads != 0)
    options.refuse("num-query-groups",
                   fmt::format("found {}, expected a divisor of {} heads", config.key_value_heads, config.heads));
}

void read_experts(Options& options, TransformerConfig& config) {
  const int count = options.number("num-experts");
  if (count == 0) return;
  Experts& experts = config.experts.emplace();
  experts.count = count;
  experts.per_token = options.number("moe-router-topk", 2, 1);
  experts.feed_forward = options.number("moe-ffn-hidden-size", config.feed_forward, 1);
  experts.shared_feed_forward = options.number("moe-shared-expert-intermediate-size");
  experts.shared_gate = options.flag("moe-shared-expert-gate");
  experts.score_bias = options.flag("moe-router-enable-expert-bias");
  if (experts.per_token > count)
    options.refuse("moe-router-topk", fmt::format("found {}, expected at most {} experts", experts.per_token, count));
  std::string pattern;
  for (const std::string& word : options.list("moe-layer-freq")) pattern += word;
  if (pattern.empty()) return;
  if (auto dense = dense_blocks(pattern, config.layers))
    experts.dense = *std::move(dense);
  else
    options.refuse("moe-layer-freq", std::move(dense.error().message));
}

void read_feed_forward(Options& options, TransformerConfig& config) {
  bool gated = options.flag("swiglu");
  for (const char* const other : {"geglu", "quick-geglu"}) gated = options.flag(other) || gated;
  options.flag("squared-relu");
  config.gated = gated;
  // arguments.py: two thirds of four times the width, in whole 64s, where a third product is added.
  const int usual = gated ? static_cast<int>(std::int64_t{config.hidden} * 8 / 3 / 64 * 64) : 4 * config.hidden;
  config.feed_forward = options.number("ffn-hidden-size", usual, 1);
}

void read_norms_and_biases(Options& options, TransformerConfig& config) {
  config.norm = options.word("normalization", {"LayerNorm", "RMSNorm"}) == "RMSNorm" ? NormKind::rms : NormKind::layer;
  config.norm_heads = options.flag("qk-layernorm");
  const bool biases = !options.flag("disable-bias-linear"), own = options.flag("add-qkv-bias");
  config.bias_output = config.bias_feed_forward = biases;
  config.bias_query_key_value = biases || own;
  config.tied = !options.flag("untie-embeddings-and-output-weights");
}

void read_positions(Options& options, TransformerConfig& config) {
  const std::string kind = options.word("position-embedding-type");
  const bool rotary = options.flag("use-rotary-position-embeddings") || (!kind.empty() && kind != "learned_absolute");
  config.longest = options.number("max-position-embeddings", 0, 1);
  if (config.longest == 0) config.longest = std::max(1, options.number("seq-length", 0, 1));
  if (!rotary) config.positions = config.longest;
}

}  // namespace

std::optional<TransformerConfig> model_of(Options& options) {
  for (const char* const other :
       {"encoder-num-layers", "hybrid-override-pattern", "is-hybrid-model", "heterogeneous-layers-config-path"})
    if (options.has(other)) {
      options.assume(fmt::format("no shape of the model: --{} is not read", other));
      return {};
    }
  if (!options.has("num-layers") || !options.has("hidden-size")) return {};
  TransformerConfig config;
  config.family = "megatron-lm";
  config.layers = options.number("num-layers", 1, 1);
  config.hidden = options.number("hidden-size", 1, 1);
  constexpr int widest = 1 << 24;
  if (config.layers > limits::layers)
    options.refuse("num-layers", fmt::format("found {}, expected at most {}", config.layers, limits::layers));
  if (config.hidden > widest)
    options.refuse("hidden-size", fmt::format("found {}, expected at most {}", config.hidden, widest));
  if (options.error()) return {};
  read_attention(options, config);
  read_feed_forward(options, config);
  read_experts(options, config);
  read_norms_and_biases(options, config);
  read_positions(options, config);
  config.vocabulary = vocabulary_of(options);
  config.dropout = options.fraction("hidden-dropout", 0.1);
  config.attention_dropout = options.fraction("attention-dropout", 0.1);
  if (config.dropout > 1 || config.attention_dropout > 1)
    options.refuse("hidden-dropout", "found more than 1, expected a fraction");
  if (options.error()) return {};
  return config;
}

}  // namespace pipedeck::io::jobs
