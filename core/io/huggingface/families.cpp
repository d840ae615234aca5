// SPDX-License-Identifier: Apache-2.0
#include "core/io/huggingface/families.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/io/huggingface/parts.hpp"

namespace pipedeck::io::huggingface {
namespace {

/// A configuration class's defaults for missing keys.
struct Defaults {
  int hidden = 4096, layers = 32, heads = 32;
  int key_value_heads = 0;  ///< 0: as many as heads
  int head_width = 0;       ///< 0: the hidden size divided over the heads
  int feed_forward = 11008, vocabulary = 32000, longest = 2048;
};
constexpr Defaults of_llama{};
constexpr Defaults of_llama4{.hidden = 5120,
                             .layers = 48,
                             .heads = 40,
                             .key_value_heads = 8,
                             .head_width = 128,
                             .feed_forward = 8192,
                             .vocabulary = 202048,
                             .longest = 4096 * 32};
constexpr Defaults of_mistral{.key_value_heads = 8, .feed_forward = 14336, .longest = 4096 * 32};
constexpr Defaults of_qwen2{.feed_forward = 22016, .vocabulary = 151936, .longest = 32768};
constexpr Defaults of_qwen2_moe{
    .hidden = 2048, .layers = 24, .heads = 16, .feed_forward = 5632, .vocabulary = 151936, .longest = 32768};
constexpr Defaults of_qwen3{.head_width = 128, .feed_forward = 22016, .vocabulary = 151936, .longest = 32768};
constexpr Defaults of_qwen3_moe{.hidden = 2048,
                                .layers = 24,
                                .heads = 32,
                                .key_value_heads = 4,
                                .feed_forward = 6144,
                                .vocabulary = 151936,
                                .longest = 32768};
constexpr Defaults of_deepseek{.layers = 30, .vocabulary = 102400};
constexpr Defaults of_deepseek_v3{
    .hidden = 7168, .layers = 61, .heads = 128, .feed_forward = 18432, .vocabulary = 129280, .longest = 4096};

class Family : public Parts {
 public:
  using Parts::Parts;

  void gpt2() {
    c_.hidden = width("n_embd", 768), c_.layers = blocks("n_layer", 12);
    heads("n_head", 12);
    c_.feed_forward = width("n_inner", 4 * c_.hidden);
    c_.vocabulary = words(50257);
    c_.longest = c_.positions = width("n_positions", 1024);
    c_.bias_query_key_value = c_.bias_output = c_.bias_feed_forward = true;
    c_.dropout = probability("resid_pdrop", 0.1), c_.attention_dropout = probability("attn_pdrop", 0.1);
    c_.tied = in_.bool_or("tie_word_embeddings", true);
  }

  void bert() {
    c_.hidden = width("hidden_size", 768), c_.layers = blocks("num_hidden_layers", 12);
    heads("num_attention_heads", 12);
    c_.feed_forward = width("intermediate_size", 3072);
    c_.vocabulary = words(30522);
    c_.longest = c_.positions = width("max_position_embeddings", 512);
    c_.token_types = in_.count_or("type_vocab_size", 2, 0, max_width);
    c_.bias_query_key_value = c_.bias_output = c_.bias_feed_forward = true;
    c_.dropout = probability("hidden_dropout_prob", 0.1);
    c_.attention_dropout = probability("attention_probs_dropout_prob", 0.1);
    c_.tied = in_.bool_or("tie_word_embeddings", true);
    c_.causal = in_.bool_or("is_decoder", false);
    c_.norm_embedding = true, c_.norm_last = false;
    c_.head = OutputHead::masked_language;
    notes_.push_back("The head is that of masked language modelling; a pooler or another head is left out");
  }

  /// `multilingual`: mT5, T5 1.1 with more words.
  void t5(bool multilingual) {
    c_.hidden = width("d_model", 512), c_.layers = blocks("num_layers", multilingual ? 8 : 6);
    c_.decoder_layers = in_.count_or("num_decoder_layers", c_.layers, 1, max_blocks);
    c_.heads = c_.key_value_heads = width("num_heads", multilingual ? 6 : 8), c_.head_width = width("d_kv", 64);
    c_.feed_forward = width("d_ff", multilingual ? 1024 : 2048);
    c_.gated = in_.text_or("feed_forward_proj", multilingual ? "gated-gelu" : "relu").starts_with("gated");
    c_.vocabulary = words(multilingual ? 250112 : 32128);
    c_.relative_buckets = width("relative_attention_num_buckets", 32);
    c_.longest = width("n_positions", 512);
    c_.norm = NormKind::rms;
    c_.dropout = c_.attention_dropout = probability("dropout_rate", 0.1);
    c_.tied = in_.bool_or("tie_word_embeddings", !multilingual);
    c_.causal = false;
    notes_.push_back("Encoder and decoder are taken as long as each other");
  }

  /// Root-mean-square norms, rotary positions, gated feed-forward layers: what Llama began and the others share.
  void llama(const Defaults& otherwise) {
    c_.hidden = width("hidden_size", otherwise.hidden), c_.layers = blocks("num_hidden_layers", otherwise.layers);
    heads("num_attention_heads", otherwise.heads, otherwise.head_width > 0);
    const bool left_open = otherwise.key_value_heads == 0 || has_key("num_key_value_heads");
    c_.key_value_heads = width("num_key_value_heads", left_open ? c_.heads : otherwise.key_value_heads);
    c_.head_width = width("head_dim", otherwise.head_width > 0 ? otherwise.head_width : c_.head_width);
    c_.feed_forward = width("intermediate_size", otherwise.feed_forward);
    c_.vocabulary = words(otherwise.vocabulary);
    c_.longest = width("max_position_embeddings", otherwise.longest);
    c_.norm = NormKind::rms, c_.gated = true;
    c_.bias_query_key_value = c_.bias_output = in_.bool_or("attention_bias", false);
    c_.bias_feed_forward = in_.bool_or("mlp_bias", false);
    c_.attention_dropout = probability("attention_dropout", 0);
    c_.tied = in_.bool_or("tie_word_embeddings", false);
  }

  /// "intermediate_size" is the width of every expert, and of the one that all tokens pass. Blocks without experts have
  /// a width of their own.
  void llama4() {
    llama(of_llama4);
    Experts experts = blocks_with_experts("moe_layers", in_.count_or("interleave_moe_layer_step", 1, 1, max_blocks));
    experts.count = in_.count_or("num_local_experts", 16, 1, max_experts);
    experts.per_token = in_.count_or("num_experts_per_tok", 1, 1, max_experts);
    experts.feed_forward = experts.shared_feed_forward = c_.feed_forward;
    c_.feed_forward = width("intermediate_size_mlp", 16384);
    c_.experts = std::move(experts);
    const int chunk = in_.count_or("attention_chunk_size", has_key("attention_chunk_size") ? 0 : 8192, 0, max_width);
    if (chunk > 0)
      notes_.push_back(
          fmt::format("Blocks that see chunks of {} positions are counted as if they saw every one", chunk));
  }

  void mistral() {
    llama(of_mistral);
    c_.window = in_.count_or("sliding_window", has_key("sliding_window") ? 0 : 4096, 0, max_width);
  }

  void mixtral() {
    llama(of_mistral);
    c_.window = in_.count_or("sliding_window", 0, 0, max_width);
    Experts experts;
    experts.count = in_.count_or("num_local_experts", 8, 1, max_experts);
    experts.per_token = in_.count_or("num_experts_per_tok", 2, 1, max_experts);
    experts.feed_forward = c_.feed_forward;
    c_.experts = std::move(experts);
  }

  /// Qwen's first: both halves of what goes into the feed-forward layer in one size.
  void qwen() {
    c_.hidden = width("hidden_size", 4096), c_.layers = blocks("num_hidden_layers", 32);
    heads("num_attention_heads", 32, true);
    c_.head_width = width("kv_channels", 128);
    c_.feed_forward = std::max(1, width("intermediate_size", 22016) / 2);
    c_.vocabulary = words(151936);
    c_.longest = width("max_position_embeddings", 8192);
    c_.norm = NormKind::rms, c_.gated = true;
    c_.bias_query_key_value = true;
    c_.bias_output = c_.bias_feed_forward = !in_.bool_or("no_bias", true);
    c_.attention_dropout = probability("attn_dropout_prob", 0);
    c_.tied = in_.bool_or("tie_word_embeddings", false);
  }

  /// The first blocks see all of the sequence, those from "max_window_layers" on a window.
  void qwen2(const Defaults& otherwise) {
    llama(otherwise);
    c_.bias_query_key_value = true;
    window_from(in_.count_or("max_window_layers", 28, 0, max_blocks));
  }

  void qwen2_moe() {
    llama(of_qwen2_moe);
    c_.bias_query_key_value = in_.bool_or("qkv_bias", true);
    // Every second block of the first "max_window_layers".
    const int most = std::min(c_.layers, in_.count_or("max_window_layers", 28, 0, max_blocks));
    window_in((most + 1) / 2);
    Experts experts = sparse_blocks();
    experts.count = in_.count_or("num_experts", 60, 1, max_experts);
    experts.per_token = in_.count_or("num_experts_per_tok", 4, 1, max_experts);
    experts.feed_forward = width("moe_intermediate_size", 1408);
    experts.shared_feed_forward = width("shared_expert_intermediate_size", 5632);
    experts.shared_gate = true;
    c_.experts = std::move(experts);
  }

  void qwen3() {
    llama(of_qwen3);
    c_.norm_heads = true;
    window_from(in_.count_or("max_window_layers", 28, 0, max_blocks));
  }

  void qwen3_moe() {
    llama(of_qwen3_moe);
    c_.norm_heads = true;
    window_in(c_.layers);
    Experts experts = sparse_blocks();
    experts.count = in_.count_or("num_experts", 128, 1, max_experts);
    experts.per_token = in_.count_or("num_experts_per_tok", 8, 1, max_experts);
    experts.feed_forward = width("moe_intermediate_size", 768);
    c_.experts = std::move(experts);
  }

  /// The first, with attention like Llama's.
  void deepseek() {
    llama(of_deepseek);
    deepseek_experts({.first_dense = 0, .experts = 0, .per_token = 0, .shared = 0, .width = 1407});
  }

  void deepseek_v2() {
    llama(of_llama);
    latent_attention();
    deepseek_experts({.first_dense = 0, .experts = 64, .per_token = 6, .shared = 2, .width = 1407});
  }

  void deepseek_v3() {
    llama(of_deepseek_v3);
    latent_attention();
    deepseek_experts({.first_dense = 3, .experts = 256, .per_token = 8, .shared = 1, .width = 2048});
    if (c_.experts) c_.experts->score_bias = true;
    if (in_.count_or("num_nextn_predict_layers", 0, 0, max_blocks) > 0)
      notes_.push_back("The blocks that predict further tokens (num_nextn_predict_layers) are left out");
  }

  /// Its third generation, whose attention sees the positions that an indexer picks.
  void deepseek_v32() {
    deepseek_v3();
    notes_.push_back(
        "The indexer of sparse attention (index_topk) is left out: attention is counted over every position");
  }
};

HuggingFaceFamily by(void (*read)(Family&)) {
  return [read](const json::Value& file, json::ObjectReader& in, ParsedTransformer& out) {
    Family family(file, in, out);
    read(family);
  };
}

}  // namespace

const std::map<std::string, HuggingFaceFamily>& readers() {
  static const std::map<std::string, HuggingFaceFamily> all{
      {"gpt2", by([](Family& f) { f.gpt2(); })},
      {"bert", by([](Family& f) { f.bert(); })},
      {"t5", by([](Family& f) { f.t5(false); })},
      {"mt5", by([](Family& f) { f.t5(true); })},
      {"llama", by([](Family& f) { f.llama(of_llama); })},
      {"llama4_text", by([](Family& f) { f.llama4(); })},
      {"mistral", by([](Family& f) { f.mistral(); })},
      {"mixtral", by([](Family& f) { f.mixtral(); })},
      {"qwen", by([](Family& f) { f.qwen(); })},
      {"qwen2", by([](Family& f) { f.qwen2(of_qwen2); })},
      {"qwen2_moe", by([](Family& f) { f.qwen2_moe(); })},
      {"qwen3", by([](Family& f) { f.qwen3(); })},
      {"qwen3_moe", by([](Family& f) { f.qwen3_moe(); })},
      {"deepseek", by([](Family& f) { f.deepseek(); })},
      {"deepseek_v2", by([](Family& f) { f.deepseek_v2(); })},
      {"deepseek_v3", by([](Family& f) { f.deepseek_v3(); })},
      {"deepseek_v32", by([](Family& f) { f.deepseek_v32(); })},
  };
  return all;
}

}  // namespace pipedeck::io::huggingface
