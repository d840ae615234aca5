// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/transformer.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <span>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/documents/efficiency.hpp"
#include "core/io/documents/profile_extra.hpp"
#include "core/io/documents/weight_type.hpp"
#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"

namespace pipedeck::io::documents {
namespace {

using json::ObjectReader;
using json::ObjectWriter;
using json::Value;

constexpr std::int64_t most_words = (std::int64_t{1} << 31) - 1, max_width = 1 << 24;

constexpr std::array<std::pair<AttentionMemory, std::string_view>, 3> attention_words{
    {{AttentionMemory::fused, "fused"},
     {AttentionMemory::selective, "selective"},
     {AttentionMemory::stored, "stored"}}};
constexpr std::array<std::pair<NormKind, std::string_view>, 4> norm_words{
    {{NormKind::layer, "layer"}, {NormKind::rms, "rms"}, {NormKind::gain, "gain"}, {NormKind::plain, "plain"}}};
constexpr std::array<std::pair<NormPlace, std::string_view>, 5> place_words{{{NormPlace::before, "before"},
                                                                             {NormPlace::after, "after"},
                                                                             {NormPlace::around, "around"},
                                                                             {NormPlace::shared, "shared"},
                                                                             {NormPlace::parallel, "parallel"}}};
constexpr std::array<std::pair<OutputHead, std::string_view>, 4> head_words{
    {{OutputHead::linear, "linear"},
     {OutputHead::masked_language, "masked-language"},
     {OutputHead::classes, "classes"},
     {OutputHead::none, "none"}}};
constexpr std::array<std::pair<Mixer, std::string_view>, 5> mixer_words{{{Mixer::attention, "attention"},
                                                                         {Mixer::state_space, "state-space"},
                                                                         {Mixer::linear_attention, "linear-attention"},
                                                                         {Mixer::pictures, "pictures"},
                                                                         {Mixer::none, "none"}}};
constexpr std::array<std::pair<Decay, std::string_view>, 3> decay_words{
    {{Decay::fixed, "fixed"}, {Decay::head, "head"}, {Decay::channel, "channel"}}};

const auto& words_of(AttentionMemory) { return attention_words; }
const auto& words_of(NormKind) { return norm_words; }
const auto& words_of(NormPlace) { return place_words; }
const auto& words_of(OutputHead) { return head_words; }
const auto& words_of(Mixer) { return mixer_words; }
const auto& words_of(Decay) { return decay_words; }

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
  visit.rare("bias", experts.bias);
  visit.rare("beside_dense", experts.beside_dense);
  visit("dense", experts.dense);
}

template <class Visitor, class Of>
void visit_indexer(Visitor& visit, Of& indexer) {
  visit("heads", indexer.heads, 1);
  visit("head_width", indexer.head_width, 1);
  visit("positions", indexer.positions, 1);
}

template <class Visitor, class Of>
void visit_compressed(Visitor& visit, Of& compressed) {
  visit("query_rank", compressed.query_rank, 1);
  visit("output_groups", compressed.output_groups, 1);
  visit("output_rank", compressed.output_rank, 1);
}

template <class Visitor, class Of>
void visit_state_space(Visitor& visit, Of& space) {
  visit("inner", space.inner, 1);
  visit("state", space.state, 1);
  visit("heads", space.heads, 0);
  visit("groups", space.groups, 0);
  visit("convolution", space.convolution, 0);
  visit("step_rank", space.step_rank, 0);
  visit("bias", space.bias);
  visit("bias_convolution", space.bias_convolution);
  visit("norms", space.norms);
}

template <class Visitor, class Of>
void visit_linear_attention(Visitor& visit, Of& linear) {
  visit("key_heads", linear.key_heads, 1);
  visit("value_heads", linear.value_heads, 1);
  visit("key_width", linear.key_width, 1);
  visit("value_width", linear.value_width, 1);
  visit("convolution", linear.convolution, 0);
  visit("gate_rank", linear.gate_rank, 0);
  visit("decay", linear.decay);
}

template <class Visitor, class Of>
void visit_patches(Visitor& visit, Of& patches) {
  visit("numbers", patches.numbers, 1);
  visit("convolution", patches.convolution, 0);
  visit("marks", patches.marks, 0);
  visit("bias", patches.bias);
}

template <class Visitor, class Of>
void visit_words_of_blocks(Visitor& visit, Of& words) {
  visit("width", words.width, 1);
  visit("vocabulary", words.vocabulary, 1);
}

template <class Visitor, class Of>
void visit_kind(Visitor& visit, Of& kind) {
  visit("mixer", kind.mixer);
  visit("heads", kind.heads, 1);
  visit("key_value_heads", kind.key_value_heads, 1);
  visit("head_width", kind.head_width, 1);
  visit("value_width", kind.value_width, 0);
  visit("window", kind.window, 0);
  visit("feed_forward", kind.feed_forward, 0);
  visit("makes_key_values", kind.makes_key_values);
  visit("values_are_keys", kind.values_are_keys);
  visit("compression", kind.compression, 0);
  visit("makes_index", kind.makes_index);
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
  visit("feed_forward", config.feed_forward, 0);
  visit("gated", config.gated);
  visit("vocabulary", config.vocabulary, 0);
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
  visit.rare("norm_place", config.norm_place);
  visit.rare("norm_all_heads", config.norm_all_heads);
  visit.rare("no_key_bias", config.no_key_bias);
  visit.rare("gated_attention", config.gated_attention);
  visit.rare("sinks", config.sinks);
  visit.rare("head_bias", config.head_bias);
  visit.rare("pooler", config.pooler);
  visit.rare("relative_everywhere", config.relative_everywhere);
  visit.rare("value_width", config.value_width, 1);
  visit.rare("embedding_width", config.embedding_width, 1);
  visit.rare("decoder_positions", config.decoder_positions, 1);
  visit.rare("classes", config.classes, 1);
  visit.rare("streams", config.streams, 1);
  visit.rare("multi_token", config.multi_token, 1);
  visit.optional("indexer", config.indexer, [](auto& inner, auto& of) { visit_indexer(inner, of); });
  visit.optional("compressed", config.compressed, [](auto& inner, auto& of) { visit_compressed(inner, of); });
  visit.rare("compression", config.compression, 1);
  visit.optional("state_space", config.state_space, [](auto& inner, auto& of) { visit_state_space(inner, of); });
  visit.optional("linear_attention", config.linear_attention,
                 [](auto& inner, auto& of) { visit_linear_attention(inner, of); });
  visit.optional("patches", config.patches, [](auto& inner, auto& of) { visit_patches(inner, of); });
  visit.optional("words_of_blocks", config.words_of_blocks,
                 [](auto& inner, auto& of) { visit_words_of_blocks(inner, of); });
  visit.rare("mixer", config.mixer);
  visit.objects("kinds", config.kinds, [](auto& inner, auto& of) { visit_kind(inner, of); });
  visit.rare("kind_of", config.kind_of);
}

constexpr std::array<std::string_view, 3> reached_words{"reached_products", "reached_attention", "reached_memory"};

template <class Visitor, class Reached>
void visit_reached(Visitor& visit, Reached& reached) {
  visit(reached_words[0], reached.gemms);
  visit(reached_words[1], reached.attention);
  visit(reached_words[2], reached.memory);
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
  visit.optional(reached_words, options.reached, [](auto& own, auto& reached) { visit_reached(own, reached); });
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
  template <class T, class Visit>
  void objects(std::string_view name, const std::vector<T>& values, Visit visit) {
    if (values.empty()) return;
    json::List list;
    for (const T& value : values) {
      Writer inner;
      visit(inner, value);
      list.push_back(inner.value());
    }
    out_.add(name, Value(std::move(list)));
  }
  /// Writes what differs from its default alone.
  template <class T, class... Least>
  void rare(std::string_view name, const T& value, Least... least) {
    if (value != T{}) (*this)(name, value, least...);
  }
  /// Members of this object that are all there or all absent.
  template <class T, class Visit>
  void optional(std::span<const std::string_view>, const std::optional<T>& value, Visit visit) {
    if (value) visit(*this, *value);
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
  template <class T, class Visit>
  void objects(std::string_view name, std::vector<T>& values, Visit visit) {
    if (!in_.has(name)) return;
    in_.objects(name, [&](ObjectReader& object) {
      Reader inner(object);
      visit(inner, values.emplace_back());
    });
  }
  template <class T, class... Least>
  void rare(std::string_view name, T& value, Least... least) {
    if (in_.has(name)) (*this)(name, value, least...);
  }
  template <class T, class Visit>
  void optional(std::span<const std::string_view> names, std::optional<T>& value, Visit visit) {
    if (std::ranges::any_of(names, [&](std::string_view name) { return in_.has(name); })) visit(*this, value.emplace());
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

/// Checks that the sizes of each mixer in use are there.
void check_mixers(ObjectReader& in, const TransformerConfig& config) {
  const auto uses = [&](Mixer mixer) {
    return config.mixer == mixer ||
           std::ranges::any_of(config.kinds, [mixer](const BlockKind& kind) { return kind.mixer == mixer; });
  };
  if (uses(Mixer::state_space) && !config.state_space) in.fail("state_space", "found none, expected its sizes");
  if (uses(Mixer::linear_attention) && !config.linear_attention)
    in.fail("linear_attention", "found none, expected its sizes");
  if (config.head == OutputHead::classes && config.classes == 0) in.fail("classes", "found none, expected a number");
}

void check(ObjectReader& in, const TransformerConfig& config) {
  if (config.heads % config.key_value_heads != 0)
    in.fail("key_value_heads",
            fmt::format("found {}, expected a number that divides {} heads", config.key_value_heads, config.heads));
  if (config.experts && config.experts->per_token > config.experts->count)
    in.fail("experts", fmt::format("found {} experts a token, expected at most the {} there are",
                                   config.experts->per_token, config.experts->count));
  for (const BlockKind& kind : config.kinds)
    if (kind.heads % kind.key_value_heads != 0)
      in.fail("kinds", fmt::format("found {} key-value heads, expected a number that divides {} heads",
                                   kind.key_value_heads, kind.heads));
  if (config.kinds.empty() ? !config.kind_of.empty() : config.kind_of.size() != static_cast<std::size_t>(config.layers))
    in.fail("kind_of", fmt::format("found the kinds of {} blocks, expected those of {}", config.kind_of.size(),
                                   config.kinds.empty() ? 0 : config.layers));
  for (const int kind : config.kind_of)
    if (kind < 0 || static_cast<std::size_t>(kind) >= config.kinds.size())
      in.fail("kind_of", fmt::format("found {}, expected one of {} kinds", kind, config.kinds.size()));
  check_mixers(in, config);
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
  if (!in.has("efficiency")) return;
  in.object("efficiency", [&](ObjectReader& values) {
    origin.efficiency = read_efficiency(values);
    origin.efficiency->device = origin.device;
  });
}

}  // namespace

Profile with_origin(Profile profile, const TransformerOrigin& origin) {
  ObjectWriter out;
  out.add("device", Value(origin.device));
  out.add("config", config_to_json(origin.config)).add("options", options_to_json(origin.options));
  if (origin.efficiency) {
    ObjectWriter values;
    write_efficiency(values, *origin.efficiency);
    out.add("efficiency", values.finish());
  }
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

std::map<std::string, HardwareEfficiency> hardware_efficiencies(const Profile& profile, const Cluster& cluster,
                                                                const std::vector<DeviceModel>& catalogue) {
  std::map<std::string, HardwareEfficiency> by_type;
  const auto origin = origin_of(profile);
  if (!origin || !*origin || !(*origin)->efficiency) return by_type;
  for (const DeviceType& type : cluster.device_types) {
    const DeviceModel* const model = find_device_model(catalogue, type.name);
    if (type.name == (*origin)->device)
      by_type[type.name] = hardware_efficiency(*(*origin)->efficiency);
    else if (model && model->efficiency)
      by_type[type.name] = hardware_efficiency(*model->efficiency);
  }
  return by_type;
}

}  // namespace pipedeck::io::documents
