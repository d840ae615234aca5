// SPDX-License-Identifier: Apache-2.0
#include "core/io/hugging_face.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/io/json_reader.hpp"

namespace pipedeck {
namespace {

using json::ObjectReader;
using json::Problems;
using json::Value;

constexpr std::int64_t most_width = 1 << 24, most_blocks = 100'000, most_words = std::int64_t{1} << 31;
constexpr int most_experts = 100'000;

/// What a configuration class has for keys that a file lacks.
struct Defaults {
  int hidden = 4096, layers = 32, heads = 32;
  int key_value_heads = 0;  ///< 0: as many as heads
  int head_width = 0;       ///< 0: the hidden size divided over the heads
  int feed_forward = 11008, vocabulary = 32000, longest = 2048;
};
constexpr Defaults of_llama{};
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

class Reader {
 public:
  Reader(const Value& file, ObjectReader& in, ReadTransformer& out)
      : file_(file), in_(in), c_(out.config), notes_(out.notes) {}

  void gpt2() {
    c_.hidden = width("n_embd", 768), c_.layers = blocks("n_layer", 12);
    heads("n_head", 12);
    c_.feed_forward = width("n_inner", 4 * c_.hidden);
    c_.vocabulary = words(50257);
    c_.longest = c_.positions = width("n_positions", 1024);
    c_.bias_query_key_value = c_.bias_output = c_.bias_feed_forward = true;
    c_.dropout = probability("resid_pdrop", 0.1), c_.attention_dropout = probability("attn_pdrop", 0.1);
    c_.tied = in_.truth_or("tie_word_embeddings", true);
  }

  void bert() {
    c_.hidden = width("hidden_size", 768), c_.layers = blocks("num_hidden_layers", 12);
    heads("num_attention_heads", 12);
    c_.feed_forward = width("intermediate_size", 3072);
    c_.vocabulary = words(30522);
    c_.longest = c_.positions = width("max_position_embeddings", 512);
    c_.token_types = in_.count_or("type_vocab_size", 2, 0, most_width);
    c_.bias_query_key_value = c_.bias_output = c_.bias_feed_forward = true;
    c_.dropout = probability("hidden_dropout_prob", 0.1);
    c_.attention_dropout = probability("attention_probs_dropout_prob", 0.1);
    c_.tied = in_.truth_or("tie_word_embeddings", true);
    c_.causal = in_.truth_or("is_decoder", false);
    c_.norm_embedding = true, c_.norm_last = false;
    c_.head = OutputHead::masked_language;
    notes_.push_back("The head is that of masked language modelling; a pooler or another head is left out");
  }

  /// `multilingual`: mT5, T5 1.1 with more words.
  void t5(bool multilingual) {
    c_.hidden = width("d_model", 512), c_.layers = blocks("num_layers", multilingual ? 8 : 6);
    c_.decoder_layers = in_.count_or("num_decoder_layers", c_.layers, 1, most_blocks);
    c_.heads = c_.key_value_heads = width("num_heads", multilingual ? 6 : 8), c_.head_width = width("d_kv", 64);
    c_.feed_forward = width("d_ff", multilingual ? 1024 : 2048);
    c_.gated = in_.text_or("feed_forward_proj", multilingual ? "gated-gelu" : "relu").starts_with("gated");
    c_.vocabulary = words(multilingual ? 250112 : 32128);
    c_.relative_buckets = width("relative_attention_num_buckets", 32);
    c_.longest = width("n_positions", 512);
    c_.norm = NormKind::rms;
    c_.dropout = c_.attention_dropout = probability("dropout_rate", 0.1);
    c_.tied = in_.truth_or("tie_word_embeddings", !multilingual);
    c_.causal = false;
    notes_.push_back("Encoder and decoder are taken as long as each other");
  }

  /// Root-mean-square norms, rotary positions, gated feed-forward layers: what Llama began and the others share.
  void llama(const Defaults& otherwise) {
    c_.hidden = width("hidden_size", otherwise.hidden), c_.layers = blocks("num_hidden_layers", otherwise.layers);
    heads("num_attention_heads", otherwise.heads, otherwise.head_width > 0);
    const bool left_open = otherwise.key_value_heads == 0 || states("num_key_value_heads");
    c_.key_value_heads = width("num_key_value_heads", left_open ? c_.heads : otherwise.key_value_heads);
    c_.head_width = width("head_dim", otherwise.head_width > 0 ? otherwise.head_width : c_.head_width);
    c_.feed_forward = width("intermediate_size", otherwise.feed_forward);
    c_.vocabulary = words(otherwise.vocabulary);
    c_.longest = width("max_position_embeddings", otherwise.longest);
    c_.norm = NormKind::rms, c_.gated = true;
    c_.bias_query_key_value = c_.bias_output = in_.truth_or("attention_bias", false);
    c_.bias_feed_forward = in_.truth_or("mlp_bias", false);
    c_.attention_dropout = probability("attention_dropout", 0);
    c_.tied = in_.truth_or("tie_word_embeddings", false);
  }

  void mistral() {
    llama(of_mistral);
    c_.window = in_.count_or("sliding_window", states("sliding_window") ? 0 : 4096, 0, most_width);
  }

  void mixtral() {
    llama(of_mistral);
    c_.window = in_.count_or("sliding_window", 0, 0, most_width);
    Experts experts;
    experts.count = in_.count_or("num_local_experts", 8, 1, most_experts);
    experts.per_token = in_.count_or("num_experts_per_tok", 2, 1, most_experts);
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
    c_.bias_output = c_.bias_feed_forward = !in_.truth_or("no_bias", true);
    c_.attention_dropout = probability("attn_dropout_prob", 0);
    c_.tied = in_.truth_or("tie_word_embeddings", false);
  }

  /// The first blocks see all of the sequence, those from "max_window_layers" on a window.
  void qwen2(const Defaults& otherwise) {
    llama(otherwise);
    c_.bias_query_key_value = true;
    window_from(in_.count_or("max_window_layers", 28, 0, most_blocks));
  }

  void qwen2_moe() {
    llama(of_qwen2_moe);
    c_.bias_query_key_value = in_.truth_or("qkv_bias", true);
    // Every second block of the first "max_window_layers".
    const int most = std::min(c_.layers, in_.count_or("max_window_layers", 28, 0, most_blocks));
    window_in((most + 1) / 2);
    Experts experts = sparse_blocks();
    experts.count = in_.count_or("num_experts", 60, 1, most_experts);
    experts.per_token = in_.count_or("num_experts_per_tok", 4, 1, most_experts);
    experts.feed_forward = width("moe_intermediate_size", 1408);
    experts.shared_feed_forward = width("shared_expert_intermediate_size", 5632);
    experts.shared_gate = true;
    c_.experts = std::move(experts);
  }

  void qwen3() {
    llama(of_qwen3);
    c_.norm_heads = true;
    window_from(in_.count_or("max_window_layers", 28, 0, most_blocks));
  }

  void qwen3_moe() {
    llama(of_qwen3_moe);
    c_.norm_heads = true;
    window_in(c_.layers);
    Experts experts = sparse_blocks();
    experts.count = in_.count_or("num_experts", 128, 1, most_experts);
    experts.per_token = in_.count_or("num_experts_per_tok", 8, 1, most_experts);
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
    if (in_.count_or("num_nextn_predict_layers", 0, 0, most_blocks) > 0)
      notes_.push_back("The blocks that predict further tokens (num_nextn_predict_layers) are left out");
  }

 private:
  int width(std::string_view key, int otherwise) { return in_.count_or(key, otherwise, 1, most_width); }
  int blocks(std::string_view key, int otherwise) { return in_.count_or(key, otherwise, 1, most_blocks); }
  int words(int otherwise) { return in_.count_or("vocab_size", otherwise, 1, most_words - 1); }
  double probability(std::string_view key, double otherwise) { return in_.number_or(key, otherwise, 0, 1); }

  /// Also as null, which says that there is none; a key that is not there has its class's default.
  bool states(std::string_view key) const { return file_.find(key) != nullptr; }

  void window_from(int first) { window_in(c_.layers - std::min(first, c_.layers)); }

  /// So many blocks have a window, unless the file lists them. Where only some have, all count as if they saw
  /// everything: rather too slow than too quick.
  void window_in(int blocks_with) {
    if (!in_.truth_or("use_sliding_window", false)) return;
    const int size = in_.count_or("sliding_window", states("sliding_window") ? 0 : 4096, 0, most_width);
    if (in_.has("layer_types")) {
      blocks_with = 0;
      in_.values("layer_types", [&](const Value& value, const std::string&) {
        blocks_with += value == Value("sliding_attention") ? 1 : 0;
      });
    }
    if (blocks_with >= c_.layers) c_.window = size;
    if (size == 0 || blocks_with == 0 || blocks_with >= c_.layers) return;
    notes_.push_back(fmt::format("{} of {} blocks see {} positions at most: all are counted as if they saw every one",
                                 blocks_with, c_.layers, size));
  }

  void latent_attention() {
    LatentAttention latent;
    latent.query_rank = in_.count_or("q_lora_rank", states("q_lora_rank") ? 0 : 1536, 0, most_width);
    latent.key_value_rank = width("kv_lora_rank", 512);
    latent.plain_width = width("qk_nope_head_dim", 128), latent.rotary_width = width("qk_rope_head_dim", 64);
    latent.value_width = width("v_head_dim", 128);
    c_.latent = latent;
  }

  struct ExpertDefaults {
    int first_dense, experts, per_token, shared, width;
  };

  void deepseek_experts(const ExpertDefaults& otherwise) {
    const int count =
        in_.count_or("n_routed_experts", states("n_routed_experts") ? 0 : otherwise.experts, 0, most_experts);
    if (count == 0) return;
    Experts experts;
    experts.count = count;
    experts.per_token = in_.count_or("num_experts_per_tok", std::max(1, otherwise.per_token), 1, most_experts);
    experts.feed_forward = width("moe_intermediate_size", otherwise.width);
    const int shared =
        in_.count_or("n_shared_experts", states("n_shared_experts") ? 0 : otherwise.shared, 0, most_experts);
    experts.shared_feed_forward =
        static_cast<int>(std::min<std::int64_t>(most_width, std::int64_t{experts.feed_forward} * shared));
    const int first = in_.count_or("first_k_dense_replace", otherwise.first_dense, 0, most_blocks),
              every = in_.count_or("moe_layer_freq", 1, 1, most_blocks);
    for (int i = 0; i < c_.layers; ++i)
      if (i < first || i % every != 0) experts.dense.push_back(i);
    c_.experts = std::move(experts);
  }

  void heads(std::string_view key, int otherwise, bool width_is_told = false) {
    c_.heads = c_.key_value_heads = width(key, otherwise);
    c_.head_width = c_.heads > 0 ? c_.hidden / c_.heads : 0;
    if (in_.ok() && c_.hidden % c_.heads != 0 && !in_.has("head_dim") && !width_is_told)
      in_.fail(key,
               fmt::format("found {} heads, expected a number that divides the hidden size, {}", c_.heads, c_.hidden));
  }

  Experts sparse_blocks() {
    Experts experts;
    const int step = in_.count_or("decoder_sparse_step", 1, 1, most_blocks);
    std::set<std::int64_t> dense;
    if (in_.has("mlp_only_layers"))
      in_.values("mlp_only_layers", [&](const Value& value, const std::string& place) {
        dense.insert(json::read_integer(value, 0, most_blocks, place, in_.problems()));
      });
    for (int i = 0; i < c_.layers; ++i)
      if (dense.contains(i) || (i + 1) % step != 0) experts.dense.push_back(i);
    return experts;
  }

  const Value& file_;
  ObjectReader& in_;
  TransformerConfig& c_;
  std::vector<std::string>& notes_;
};

using Family = std::function<void(Reader&)>;

const std::map<std::string, Family>& families() {
  static const std::map<std::string, Family> all{
      {"gpt2", &Reader::gpt2},
      {"bert", &Reader::bert},
      {"t5", [](Reader& r) { r.t5(false); }},
      {"mt5", [](Reader& r) { r.t5(true); }},
      {"llama", [](Reader& r) { r.llama(of_llama); }},
      {"mistral", &Reader::mistral},
      {"mixtral", &Reader::mixtral},
      {"qwen", &Reader::qwen},
      {"qwen2", [](Reader& r) { r.qwen2(of_qwen2); }},
      {"qwen2_moe", &Reader::qwen2_moe},
      {"qwen3", &Reader::qwen3},
      {"qwen3_moe", &Reader::qwen3_moe},
      {"deepseek", &Reader::deepseek},
      {"deepseek_v2", &Reader::deepseek_v2},
      {"deepseek_v3", &Reader::deepseek_v3},
  };
  return all;
}

void check(ObjectReader& in, const TransformerConfig& c) {
  if (c.heads % c.key_value_heads != 0)
    in.fail("num_key_value_heads",
            fmt::format("found {} heads of keys and values, expected a number that divides {} heads", c.key_value_heads,
                        c.heads));
  if (c.experts && c.experts->per_token > c.experts->count)
    in.fail("num_experts_per_tok", fmt::format("found {} experts a token, expected at most the {} there are",
                                               c.experts->per_token, c.experts->count));
}

std::string last_part(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

void read_config(const Value& file, ObjectReader& in, const std::string& name, ReadTransformer& out) {
  in.treat_null_as_absent();
  out.config.family = in.text("model_type");
  out.config.name = last_part(in.text_or("_name_or_path", ""));
  if (out.config.name.empty()) out.config.name = name;
  const auto family = families().find(out.config.family);
  if (!in.ok()) return;
  if (family == families().end()) {
    std::string known;
    for (const auto& [type, reader] : families()) known += (known.empty() ? "" : ", ") + type;
    in.fail("model_type",
            fmt::format("found {}, expected one of: {}", json::describe(Value(out.config.family)), known));
    return;
  }
  Reader reader(file, in, out);
  family->second(reader);
  if (in.ok()) check(in, out.config);
}

}  // namespace

bool looks_like_hugging_face(const Value& document) {
  return document.find("model_type") != nullptr && document.find("format") == nullptr;
}

Result<ReadTransformer> transformer_from_hugging_face(const std::string& text, const std::string& name) {
  const Result<Value> document = json::parse(text);
  if (!document) return tl::unexpected(document.error());
  ReadTransformer out;
  Problems problems;
  const Value* nested = document->find("text_config");
  if (nested && nested->find("model_type")) {
    out.notes.push_back("The part that reads text is taken (text_config); what sees or hears is left out");
  } else {
    nested = nullptr;
  }
  const Value& file = nested ? *nested : *document;
  ObjectReader in(file, nested ? "/text_config" : "", problems);
  read_config(file, in, name, out);
  if (problems.first) return tl::unexpected(*problems.first);
  return out;
}

std::vector<std::string> hugging_face_families() {
  std::vector<std::string> names;
  for (const auto& [name, reader] : families()) names.push_back(name);
  return names;
}

}  // namespace pipedeck
