// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/transformer.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/documents/profile_extra.hpp"
#include "core/io/documents/weight_type.hpp"
#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"

namespace pipedeck::io::documents {
namespace {

using json::ObjectReader;
using json::ObjectWriter;
using json::Value;

constexpr std::string_view transformer_key = "transformer";
constexpr std::int64_t most_words = (std::int64_t{1} << 31) - 1, max_width = 1 << 24;

constexpr std::array<std::pair<AttentionMemory, std::string_view>, 3> attention_words{
    {{AttentionMemory::fused, "fused"},
     {AttentionMemory::selective, "selective"},
     {AttentionMemory::stored, "stored"}}};
constexpr std::array<std::pair<NormKind, std::string_view>, 2> norm_words{
    {{NormKind::layer, "layer"}, {NormKind::rms, "rms"}}};
constexpr std::array<std::pair<OutputHead, std::string_view>, 2> head_words{
    {{OutputHead::linear, "linear"}, {OutputHead::masked_language, "masked-language"}}};

const auto& words_of(AttentionMemory) { return attention_words; }
const auto& words_of(NormKind) { return norm_words; }
const auto& words_of(OutputHead) { return head_words; }

// The members of each object, once, for the writer and the reader alike.
template <class Visitor, class Latent>
void visit_latent(Visitor& visit, Latent& latent) {
  visit("query_rank", latent.query_rank, 0);
  visit("key_value_rank", latent.key_value_rank, 1);
  visit("plain_width", latent.plain_width, 0);
  visit("rotary_width", latent.rotary_width, 0);
  visit("value_width", latent.value_width, 1);
}

template <class Visitor, class Of>
void visit_experts(Visitor& visit, Of& experts) {
  visit("count", experts.count, 1);
  visit("per_token", experts.per_token, 1);
  visit("feed_forward", experts.feed_forward, 1);
  visit("shared_feed_forward", experts.shared_feed_forward, 0);
  visit("shared_gate", experts.shared_gate);
  visit("score_bias", experts.score_bias);
  visit("dense", experts.dense);
}

template <class Visitor, class Config>
void visit_config(Visitor& visit, Config& config) {
  visit("name", config.name);
  visit("family", config.family);
  visit("hidden", config.hidden, 1);
  visit("layers", config.layers, 1);
  visit("decoder_layers", config.decoder_layers, 0);
  visit("heads", config.heads, 1);
  visit("key_value_heads", config.key_value_heads, 1);
  visit("head_width", config.head_width, 1);
  visit("feed_forward", config.feed_forward, 1);
  visit("gated", config.gated);
  visit("vocabulary", config.vocabulary, 1);
  visit("positions", config.positions, 0);
  visit("token_types", config.token_types, 0);
  visit("relative_buckets", config.relative_buckets, 0);
  visit("longest", config.longest, 1);
  visit("window", config.window, 0);
  visit("norm", config.norm);
  visit("norm_embedding", config.norm_embedding);
  visit("norm_last", config.norm_last);
  visit("norm_heads", config.norm_heads);
  visit("bias_query_key_value", config.bias_query_key_value);
  visit("bias_output", config.bias_output);
  visit("bias_feed_forward", config.bias_feed_forward);
  visit("tied", config.tied);
  visit("head", config.head);
  visit("causal", config.causal);
  visit("dropout", config.dropout);
  visit("attention_dropout", config.attention_dropout);
  visit.optional("latent", config.latent, [](auto& inner, auto& latent) { visit_latent(inner, latent); });
  visit.optional("experts", config.experts, [](auto& inner, auto& experts) { visit_experts(inner, experts); });
}

template <class Visitor, class Options>
void visit_options(Visitor& visit, Options& options) {
  visit("precision", options.precision);
  visit("sequence", options.sequence, 0);
  visit("micro_batch", options.micro_batch, 1);
  visit("attention", options.attention);
  visit("dropout", options.dropout);
  visit("tensor_parallel", options.degrees);
  visit("sequence_parallel", options.sequence_parallel);
  visit("reached_products", options.reached.gemms);
  visit("reached_attention", options.reached.attention);
  visit("reached_memory", options.reached.memory);
}

class Writer {
 public:
  void operator()(std::string_view name, const std::string& value) { out_.add(name, Value(value)); }
  void operator()(std::string_view name, const std::vector<int>& values) {
    out_.add(name, Value(json::integers(values)));
  }
  void operator()(std::string_view name, double value) { out_.add(name, Value(json::number(value))); }
  void operator()(std::string_view name, bool value) { out_.add(name, Value(value)); }
  void operator()(std::string_view name, std::int64_t value, std::int64_t) {
    out_.add(name, Value(json::integer(value)));
  }
  template <class E>
  requires std::is_enum_v<E>
  void operator()(std::string_view name, E value) {
    for (const auto& [word, text] : words_of(value))
      if (word == value) out_.add(name, Value(text));
  }
  template <class T, class Visit>
  void optional(std::string_view name, const std::optional<T>& value, Visit visit) {
    if (!value) return;
    Writer inner;
    visit(inner, *value);
    out_.add(name, inner.value());
  }
  Value value() { return out_.finish(); }

 private:
  ObjectWriter out_;
};

class Reader {
 public:
  explicit Reader(ObjectReader& in) : in_(in) {}
  void operator()(std::string_view name, std::string& value) { value = in_.text(name); }
  void operator()(std::string_view name, std::vector<int>& values) { values = in_.counts(name, 0, limits::layers); }
  void operator()(std::string_view name, double& value) { value = in_.number(name, 0, 1); }
  void operator()(std::string_view name, bool& value) { value = in_.get(name) && in_.bool_or(name, false); }
  template <std::integral T>
  void operator()(std::string_view name, T& value, std::int64_t least) {
    value = static_cast<T>(in_.count(name, least, std::same_as<T, int> ? max_width : most_words));
  }
  template <class E>
  requires std::is_enum_v<E>
  void operator()(std::string_view name, E& value) {
    const std::string found = in_.text(name);
    std::string known;
    for (const auto& [word, text] : words_of(value)) {
      if (text == found) return void(value = word);
      known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", text);
    }
    if (in_.ok()) in_.fail(name, fmt::format("found \"{}\", expected one of: {}", found, known));
  }
  template <class T, class Visit>
  void optional(std::string_view name, std::optional<T>& value, Visit visit) {
    if (!in_.has(name)) return;
    in_.object(name, [&](ObjectReader& object) {
      Reader inner(object);
      visit(inner, value.emplace());
    });
  }

 private:
  ObjectReader& in_;
};

Value config_to_json(const TransformerConfig& config) {
  Writer writer;
  visit_config(writer, config);
  return writer.value();
}

Value options_to_json(const AnalyticOptions& options) {
  Writer writer;
  visit_options(writer, options);
  return writer.value();
}

void check(ObjectReader& in, const TransformerConfig& config) {
  if (config.heads % config.key_value_heads != 0)
    in.fail("key_value_heads",
            fmt::format("found {}, expected a number that divides {} heads", config.key_value_heads, config.heads));
  if (config.experts && config.experts->per_token > config.experts->count)
    in.fail("experts", fmt::format("found {} experts a token, expected at most the {} there are",
                                   config.experts->per_token, config.experts->count));
}

void read_origin(ObjectReader& in, TransformerOrigin& origin) {
  origin.device = in.text("device");
  in.object("config", [&](ObjectReader& config) {
    Reader reader(config);
    visit_config(reader, origin.config);
    if (config.ok()) check(config, origin.config);
  });
  in.object("options", [&](ObjectReader& options) {
    Reader reader(options);
    visit_options(reader, origin.options);
  });
}

}  // namespace

Profile with_origin(Profile profile, const TransformerOrigin& origin) {
  ObjectWriter out;
  out.add("device", Value(origin.device));
  out.add("config", config_to_json(origin.config)).add("options", options_to_json(origin.options));
  return with_extra_member(with_weight_type(std::move(profile), origin.options.precision), transformer_key,
                           out.finish());
}

Result<std::optional<TransformerOrigin>> origin_of(const Profile& profile) {
  const Value told = extra_member(profile, transformer_key);
  if (told.is_null()) return std::nullopt;
  TransformerOrigin origin;
  json::ErrorCollector problems;
  ObjectReader in(told, json::step(transformer_key), problems);
  read_origin(in, origin);
  if (problems.first) return tl::unexpected(*problems.first);
  return origin;
}

}  // namespace pipedeck::io::documents
