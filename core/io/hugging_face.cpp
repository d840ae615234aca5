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

class Reader {
 public:
  Reader(ObjectReader& in, ReadTransformer& out) : in_(in), c_(out.config), notes_(out.notes) {}

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

  void t5() {
    c_.hidden = width("d_model", 512), c_.layers = blocks("num_layers", 6);
    c_.decoder_layers = in_.count_or("num_decoder_layers", c_.layers, 1, most_blocks);
    c_.heads = c_.key_value_heads = width("num_heads", 8), c_.head_width = width("d_kv", 64);
    c_.feed_forward = width("d_ff", 2048);
    c_.gated = in_.text_or("feed_forward_proj", "relu").starts_with("gated");
    c_.vocabulary = words(32128);
    c_.relative_buckets = width("relative_attention_num_buckets", 32);
    c_.longest = width("n_positions", 512);
    c_.norm = NormKind::rms;
    c_.dropout = c_.attention_dropout = probability("dropout_rate", 0.1);
    c_.tied = in_.truth_or("tie_word_embeddings", true);
    c_.causal = false;
    notes_.push_back("Encoder and decoder are taken as long as each other");
  }

  /// Root-mean-square norms, rotary positions, gated feed-forward layers: what Llama began and the others share.
  void llama(int key_value_heads_otherwise) {
    c_.hidden = width("hidden_size", 4096), c_.layers = blocks("num_hidden_layers", 32);
    heads("num_attention_heads", 32);
    c_.key_value_heads =
        width("num_key_value_heads", key_value_heads_otherwise > 0 ? key_value_heads_otherwise : c_.heads);
    c_.head_width = width("head_dim", c_.head_width);
    c_.feed_forward = width("intermediate_size", 11008);
    c_.vocabulary = words(32000);
    c_.longest = width("max_position_embeddings", 2048);
    c_.norm = NormKind::rms, c_.gated = true;
    c_.bias_query_key_value = c_.bias_output = in_.truth_or("attention_bias", false);
    c_.bias_feed_forward = in_.truth_or("mlp_bias", false);
    c_.attention_dropout = probability("attention_dropout", 0);
    c_.tied = in_.truth_or("tie_word_embeddings", false);
  }

  void mistral() {
    llama(8);
    c_.window = in_.count_or("sliding_window", 0, 0, most_width);
  }

  void mixtral() {
    mistral();
    Experts experts;
    experts.count = in_.count_or("num_local_experts", 8, 1, most_experts);
    experts.per_token = in_.count_or("num_experts_per_tok", 2, 1, most_experts);
    experts.feed_forward = c_.feed_forward;
    c_.experts = std::move(experts);
  }

  void qwen2() {
    llama(0);
    c_.bias_query_key_value = true;
    if (in_.truth_or("use_sliding_window", false)) c_.window = in_.count_or("sliding_window", 4096, 1, most_width);
  }

  void qwen2_moe() {
    qwen2();
    Experts experts = sparse_blocks();
    experts.count = in_.count_or("num_experts", 60, 1, most_experts);
    experts.per_token = in_.count_or("num_experts_per_tok", 4, 1, most_experts);
    experts.feed_forward = width("moe_intermediate_size", 1408);
    experts.shared_feed_forward = width("shared_expert_intermediate_size", 5632);
    experts.shared_gate = true;
    c_.experts = std::move(experts);
  }

  void qwen3() {
    llama(0);
    c_.norm_heads = true;
  }

  void qwen3_moe() {
    qwen3();
    Experts experts = sparse_blocks();
    experts.count = in_.count_or("num_experts", 128, 1, most_experts);
    experts.per_token = in_.count_or("num_experts_per_tok", 8, 1, most_experts);
    experts.feed_forward = width("moe_intermediate_size", 768);
    c_.experts = std::move(experts);
  }

  void deepseek(bool third) {
    llama(0);
    LatentAttention latent;
    latent.query_rank = in_.count_or("q_lora_rank", 0, 0, most_width);
    latent.key_value_rank = width("kv_lora_rank", 512);
    latent.plain_width = width("qk_nope_head_dim", 128), latent.rotary_width = width("qk_rope_head_dim", 64);
    latent.value_width = width("v_head_dim", 128);
    c_.latent = latent;
    if (in_.count_or("num_nextn_predict_layers", 0, 0, most_blocks) > 0)
      notes_.push_back("The blocks that predict further tokens (num_nextn_predict_layers) are left out");
    const int experts_count = in_.count_or("n_routed_experts", 0, 0, most_experts);
    if (experts_count == 0) return;
    Experts experts;
    experts.count = experts_count;
    experts.per_token = in_.count_or("num_experts_per_tok", 8, 1, most_experts);
    experts.feed_forward = width("moe_intermediate_size", third ? 2048 : 1407);
    experts.shared_feed_forward = static_cast<int>(std::min<std::int64_t>(
        most_width, std::int64_t{experts.feed_forward} * in_.count_or("n_shared_experts", 0, 0, most_experts)));
    experts.score_bias = third;
    const int first = in_.count_or("first_k_dense_replace", third ? 3 : 0, 0, most_blocks),
              every = in_.count_or("moe_layer_freq", 1, 1, most_blocks);
    for (int i = 0; i < c_.layers; ++i)
      if (i < first || i % every != 0) experts.dense.push_back(i);
    c_.experts = std::move(experts);
  }

 private:
  int width(std::string_view key, int otherwise) { return in_.count_or(key, otherwise, 1, most_width); }
  int blocks(std::string_view key, int otherwise) { return in_.count_or(key, otherwise, 1, most_blocks); }
  int words(int otherwise) { return in_.count_or("vocab_size", otherwise, 1, most_words - 1); }
  double probability(std::string_view key, double otherwise) { return in_.number_or(key, otherwise, 0, 1); }

  void heads(std::string_view key, int otherwise) {
    c_.heads = c_.key_value_heads = width(key, otherwise);
    c_.head_width = c_.heads > 0 ? c_.hidden / c_.heads : 0;
    if (in_.ok() && c_.hidden % c_.heads != 0 && !in_.has("head_dim"))
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

  ObjectReader& in_;
  TransformerConfig& c_;
  std::vector<std::string>& notes_;
};

using Family = std::function<void(Reader&)>;

const std::map<std::string, Family>& families() {
  static const std::map<std::string, Family> all{
      {"gpt2", &Reader::gpt2},
      {"bert", &Reader::bert},
      {"t5", &Reader::t5},
      {"llama", [](Reader& r) { r.llama(0); }},
      {"mistral", &Reader::mistral},
      {"mixtral", &Reader::mixtral},
      {"qwen2", &Reader::qwen2},
      {"qwen2_moe", &Reader::qwen2_moe},
      {"qwen3", &Reader::qwen3},
      {"qwen3_moe", &Reader::qwen3_moe},
      {"deepseek_v2", [](Reader& r) { r.deepseek(false); }},
      {"deepseek_v3", [](Reader& r) { r.deepseek(true); }},
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

void read_config(ObjectReader& in, const std::string& name, ReadTransformer& out) {
  in.treat_null_as_absent();
  out.config.family = in.text("model_type");
  out.config.name = last_part(in.text_or("_name_or_path", ""));
  if (out.config.name.empty()) out.config.name = name;
  const auto family = families().find(out.config.family);
  if (!in.ok()) return;
  if (family == families().end()) {
    std::string known;
    for (const auto& [type, reader] : families()) known += (known.empty() ? "" : ", ") + type;
    in.fail("model_type", fmt::format("found \"{}\", expected one of: {}", out.config.family, known));
    return;
  }
  Reader reader(in, out);
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
  ObjectReader in(nested ? *nested : *document, nested ? "/text_config" : "", problems);
  read_config(in, name, out);
  if (problems.first) return tl::unexpected(*problems.first);
  return out;
}

std::vector<std::string> hugging_face_families() {
  std::vector<std::string> names;
  for (const auto& [name, reader] : families()) names.push_back(name);
  return names;
}

}  // namespace pipedeck
