// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/transformer/trained_model.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/analytic/transformer/block_configs.hpp"
#include "core/model/layer_kinds.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::analytic::transformer {
namespace {

using Sizes = std::map<std::string, std::int64_t>;

/// Returns the first feature of a model or a block that no layer has; null: none.
const char* foreign_feature(const TransformerConfig& c) {
  const std::pair<bool, const char*> features[] = {
      {c.decoder_layers > 0, "an encoder with a decoder"},
      {!c.causal, "attention to later tokens"},
      {c.positions > 0 || c.decoder_positions > 0, "a table of positions"},
      {c.token_types > 0 || c.relative_buckets > 0, "segments or relative positions"},
      {c.norm != NormKind::rms || c.norm_place != NormPlace::before || !c.norm_last || c.norm_embedding,
       "norms other than an RMS norm before each half and after the last block"},
      {!c.gated && c.feed_forward > 0, "a feed-forward without a gate"},
      {c.bias_output, "a bias of attention's output (attention_bias)"},
      {c.bias_feed_forward, "a bias of the feed-forward (mlp_bias)"},
      {c.head != OutputHead::linear || c.head_bias || c.pooler, "an output other than words without a bias"},
      {c.dropout > 0 || c.attention_dropout > 0, "dropout"},
      {c.mixer != Mixer::attention, "a mixer other than attention"},
      {c.norm_all_heads || c.no_key_bias || c.gated_attention || c.sinks || c.values_are_keys || !c.makes_key_values,
       "another form of attention"},
      {c.latent && (c.bias_query_key_value || c.norm_heads || c.window > 0),
       "latent attention with biases, norms of the heads or a window"},
      {!c.latent && c.value_width > 0 && c.value_width != c.head_width, "values of another width than keys"},
      {c.indexer || c.compressed || c.state_space || c.linear_attention, "another form of attention"},
      {c.embedding_width > 0 || c.streams > 0 || c.multi_token > 0 || c.patches || c.words_of_blocks,
       "inputs or outputs other than words"},
      {c.experts && (c.experts->shared_gate || c.experts->bias || c.experts->beside_dense),
       "experts with a shared gate, a bias or a dense part"}};
  for (const auto& [present, name] : features)
    if (present) return name;
  return nullptr;
}

class Maker {
 public:
  Maker(const TransformerConfig& config, const Sizes& details, int sequence)
      : config_(config), details_(details), sequence_(sequence), blocks_(config) {}

  Result<ModelSpec> make() {
    TRY_VOID(check(config_));
    model_.name = config_.name;
    model_.source = fmt::format("config.json of family {}", config_.family);
    const std::int64_t h = config_.hidden;
    add("embedding", "embedding",
        with_tie({{"vocabulary", config_.vocabulary}, {"hidden", h}, {"sequence", sequence_}, {"positions", 0}}));
    for (int block = 0; block < config_.layers; ++block) TRY_VOID(add_block(block));
    add("final_norm", "rms_norm", {{"hidden", h}, {"sequence", sequence_}});
    add("head", "linear",
        with_tie({{"in", h}, {"out", config_.vocabulary}, {"sequence", sequence_}, {"activation", 0}, {"bias", 0}}));
    add("loss", "softmax_cross_entropy", {{"classes", config_.vocabulary}, {"sequence", sequence_}});
    TRY_VOID(plan::validate(model_));
    return std::move(model_);
  }

 private:
  Result<void> check(const TransformerConfig& config) const {
    const char* feature = foreign_feature(config);
    if (!feature && config.experts && config.experts->score_bias && !details_.contains("bias_rate_millionths"))
      feature = "biases of the router's scores without a rate by which loads move them";
    if (feature)
      return fail(
          ErrorCode::bad_input,
          fmt::format("found {}, which no layer of the runtime has; expected a model as Llama, Mistral, Mixtral, "
                      "Qwen or DeepSeek describe one",
                      feature));
    return {};
  }

  /// Adds the mark of an end whose table the other end shares (tie_word_embeddings).
  Sizes with_tie(Sizes sizes) const {
    if (config_.tied) sizes["tied"] = 1;
    return sizes;
  }

  void add(std::string name, const char* kind, Sizes sizes) {
    for (const auto& [key, size] : details_)
      if (parse_layer_kind(kind)->rule(key)) sizes.emplace(key, size);
    model_.layers.push_back({std::move(name), kind, std::move(sizes)});
  }

  Sizes attention_sizes(const TransformerConfig& c) const {
    return {{"hidden", c.hidden},
            {"heads", c.heads},
            {"key_value_heads", c.key_value_heads},
            {"head_width", c.head_width},
            {"sequence", sequence_},
            {"window", c.window},
            {"bias_qkv", c.bias_query_key_value ? 1 : 0},
            {"norm_heads", c.norm_heads ? 1 : 0}};
  }
  Sizes latent_sizes(const TransformerConfig& c) const {
    return {{"hidden", c.hidden},
            {"heads", c.heads},
            {"query_rank", c.latent->query_rank},
            {"key_value_rank", c.latent->key_value_rank},
            {"plain_width", c.latent->plain_width},
            {"rotary_width", c.latent->rotary_width},
            {"value_width", c.latent->value_width},
            {"sequence", sequence_}};
  }

  Result<void> add_block(int block) {
    const TransformerConfig& c = blocks_.of(block);
    TRY_VOID(check(c));
    const std::string name = fmt::format("block_{}", block);
    Sizes sizes = c.latent ? latent_sizes(c) : attention_sizes(c);
    if (!c.experts) {
      sizes["feed_forward"] = c.feed_forward;
      add(name, c.latent ? "latent_decoder" : "decoder", std::move(sizes));
      return {};
    }
    add(name + ".attention", c.latent ? "latent_attention" : "attention", std::move(sizes));
    add(name + ".experts", "experts",
        {{"hidden", c.hidden},
         {"experts", c.experts->count},
         {"per_token", c.experts->per_token},
         {"feed_forward", c.experts->feed_forward},
         {"shared_feed_forward", c.experts->shared_feed_forward},
         {"sequence", sequence_}});
    return {};
  }

  const TransformerConfig& config_;
  const Sizes& details_;
  std::int64_t sequence_;
  BlockConfigs blocks_;
  ModelSpec model_;
};

}  // namespace

Result<ModelSpec> trained_model(const TransformerConfig& config, const std::map<std::string, std::int64_t>& details,
                                int sequence) {
  return Maker(config, details, sequence).make();
}

}  // namespace pipedeck::analytic::transformer
