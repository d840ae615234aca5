// SPDX-License-Identifier: Apache-2.0
#include "core/presets/paper_models.hpp"

#include <utility>

#include <fmt/format.h>

namespace pipedeck::presets {
namespace {

ModelSpec deeper(ModelSpec bert, int blocks) {
  const ModelLayer block = bert.layers[1];
  auto at = bert.layers.begin() + 1;
  while (at->kind == block.kind) at = bert.layers.erase(at);
  const auto first = at - bert.layers.begin();
  bert.layers.insert(at, static_cast<std::size_t>(blocks), block);
  for (int i = 0; i < blocks; ++i) bert.layers[static_cast<std::size_t>(first + i)].name = fmt::format("block_{}", i);
  bert.name = fmt::format("BERT-{}", blocks);
  bert.source = fmt::format("BERT-48 with {} blocks, as in DAPPLE (PPoPP 2021, Table VIII)", blocks);
  bert.extra = fmt::format(R"({{"alias":"bert-{}"}})", blocks);
  return bert;
}

/// BERT's block of both directions, the words of the Chinese BERT.
TransformerConfig m6(const char* name, int hidden, int blocks) {
  TransformerConfig config;
  config.name = name;
  config.family = "m6";
  config.hidden = hidden;
  config.layers = blocks;
  config.head_width = hidden == 1024 ? 64 : 128;
  config.heads = config.key_value_heads = hidden / config.head_width;
  config.feed_forward = 4 * hidden;
  config.vocabulary = 21128;
  config.positions = config.longest = 512;
  config.bias_query_key_value = config.bias_output = config.bias_feed_forward = true;
  config.tied = true;
  config.causal = false;
  config.dropout = config.attention_dropout = 0.1;
  return config;
}

TransformerConfig m6_moe(const char* name, int blocks, int experts, int feed_forward) {
  TransformerConfig config = m6(name, 1024, blocks);
  Experts& each = config.experts.emplace();
  each.count = experts;
  each.per_token = 1;
  each.feed_forward = feed_forward;
  return config;
}

}  // namespace

std::vector<ModelSpec> deeper_berts(const ModelSpec& bert_48) {
  return {deeper(bert_48, 106), deeper(bert_48, 215), deeper(bert_48, 428)};
}

// M6: Lin et al., arXiv 2103.00823, one transformer that encodes and decodes by masks. Whale gives only totals and
// blocks. All other sizes are chosen to give its totals.
std::vector<ParsedTransformer> m6_models() {
  std::vector<ParsedTransformer> models;
  const auto add = [&models](TransformerConfig config, const char* published, const char* assumed) {
    models.push_back({std::move(config), {published, assumed}});
  };
  const char* of_experts =
      "Assumed: one expert per token, the 21,128 words of the Chinese BERT and 512 tokens per sample";
  add(m6("M6 10B", 4096, 48),
      "Published are 24 encoder and 24 decoder blocks and 10 billion parameters (Whale, USENIX ATC 2022, section "
      "5.3.1); chosen to have as many: blocks without attention to an encoder, 4,096 wide",
      "Assumed: heads of 128, the 21,128 words of the Chinese BERT and 512 tokens per sample");
  add(m6_moe("M6 MoE 100B", 24, 512, 4096),
      "Published are 100 billion parameters (Whale, USENIX ATC 2022, section 5.3.2, on M6-T, arXiv 2105.15082); chosen "
      "to have as many: 24 blocks of hidden 1,024 and 512 experts of 4,096",
      of_experts);
  add(m6_moe("M6 MoE 1T", 24, 960, 21248),
      "Published are 1 trillion parameters (Whale, USENIX ATC 2022, section 5.3.2, on M6-T, arXiv 2105.15082); chosen "
      "to have as many: 24 blocks of hidden 1,024 and 960 experts of 21,248",
      of_experts);
  add(m6_moe("M6 MoE 10T", 48, 10240, 9984),
      "Published are 10 trillion parameters (Whale, USENIX ATC 2022, section 5.3.2, on M6-10T, arXiv 2110.03888); "
      "chosen to have as many: 48 blocks of hidden 1,024 and 10,240 experts of 9,984",
      of_experts);
  return models;
}

}  // namespace pipedeck::presets
