// SPDX-License-Identifier: Apache-2.0
#include "core/io/huggingface/family_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/result.hpp"
#include "core/io/text/printable.hpp"

namespace pipedeck::io::huggingface {
namespace {

using json::Value;

/// Returns the value with this name.
template <class E, std::size_t N>
E named(const std::array<std::pair<std::string_view, E>, N>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name, &std::pair<std::string_view, E>::first);
  ensure(found != names.end(), "words of architectures.json are known");
  return found->second;
}

constexpr std::array<std::pair<std::string_view, NormKind>, 4> norm_names{
    {{"layer", NormKind::layer}, {"rms", NormKind::rms}, {"gain", NormKind::gain}, {"plain", NormKind::plain}}};
constexpr std::array<std::pair<std::string_view, NormPlace>, 5> place_names{{{"before", NormPlace::before},
                                                                             {"after", NormPlace::after},
                                                                             {"around", NormPlace::around},
                                                                             {"shared", NormPlace::shared},
                                                                             {"parallel", NormPlace::parallel}}};
constexpr std::array<std::pair<std::string_view, OutputHead>, 4> head_names{{{"linear", OutputHead::linear},
                                                                             {"masked", OutputHead::masked_language},
                                                                             {"classes", OutputHead::classes},
                                                                             {"none", OutputHead::none}}};
constexpr std::array<std::pair<std::string_view, Mixer>, 5> mixer_names{{{"attention", Mixer::attention},
                                                                         {"state_space", Mixer::state_space},
                                                                         {"linear", Mixer::linear_attention},
                                                                         {"pictures", Mixer::pictures},
                                                                         {"none", Mixer::none}}};
constexpr std::array<std::pair<std::string_view, Decay>, 3> decay_names{
    {{"fixed", Decay::fixed}, {"head", Decay::head}, {"channel", Decay::channel}}};

std::string found_text(const Datum& datum) {
  if (datum.raw) return json::describe(*datum.raw);
  if (const double* number = datum.number()) return fmt::format("{}", *number);
  if (const bool* truth = std::get_if<bool>(&datum.value)) return *truth ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&datum.value)) return json::describe(Value(*text));
  return "nothing";
}

}  // namespace

const Value* FamilyReader::find(std::string_view key) {
  used_.emplace(key);
  const Value* found = file_.find(key);
  return !found && outer_ && key == "tie_word_embeddings" ? outer_->find(key) : found;
}

Datum FamilyReader::definition(const std::string& name) {
  if (name == "own_head") return {own_head_};
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  const Expression* expression = family_.find(name);
  ensure(expression != nullptr, "definitions of architectures.json are known");
  ensure(depth_ < 50, "definitions of architectures.json are no circle");
  ++depth_;
  Datum value = evaluate(*expression, *this);
  --depth_;
  return known_.emplace(name, std::move(value)).first->second;
}

void FamilyReader::used_default(const std::string& key) {
  if (std::ranges::find(assumed_, key) == assumed_.end()) assumed_.push_back(key);
}

void FamilyReader::mistake(const Datum& found, std::string_view expected) {
  problems_.add(place_of(found.key), fmt::format("found {}, expected {}", found_text(found), expected));
}

void FamilyReader::fail(const std::string& definition, std::string message) {
  problems_.add(place_of(this->definition(definition).key), std::move(message));
}

std::int64_t FamilyReader::whole(const std::string& name, std::int64_t least, std::int64_t most) {
  if (!ok()) return 0;
  const Datum datum = definition(name);
  if (!ok()) return 0;
  if (datum.raw && !datum.is_null()) return json::read_integer(*datum.raw, least, most, place_of(datum.key), problems_);
  const double* number = datum.number();
  if (number && *number >= static_cast<double>(least) && *number <= static_cast<double>(most) &&
      *number == std::floor(*number))
    return static_cast<std::int64_t>(*number);
  problems_.add(place_of(datum.key),
                fmt::format("found {}{}, expected a whole number from {} to {}", found_text(datum),
                            datum.raw || datum.is_null() ? "" : fmt::format(" for '{}'", name), least, most));
  return 0;
}

bool FamilyReader::flag(const std::string& name) {
  if (!ok()) return false;
  const Datum datum = definition(name);
  if (datum.raw && !datum.is_null() && !std::holds_alternative<bool>(datum.value)) {
    mistake(datum, "true or false");
    return false;
  }
  return datum.is_true();
}

double FamilyReader::probability(const std::string& name) {
  if (!ok()) return 0;
  const Datum datum = definition(name);
  if (datum.raw && !datum.is_null())
    return json::read_number(*datum.raw, json::Unit::plain, 0, 1, place_of(datum.key), problems_);
  return datum.number() ? *datum.number() : 0;
}

std::string FamilyReader::word(const std::string& name) {
  const Datum datum = definition(name);
  const auto* text = std::get_if<std::string>(&datum.value);
  ensure(text != nullptr || !ok(), "this definition of architectures.json is a word");
  return text ? *text : std::string();
}

void FamilyReader::sizes(TransformerConfig& c) {
  c.hidden = count("hidden", 1), c.layers = count("layers", 1, max_blocks);
  c.decoder_layers = count("decoder_layers", 0, max_blocks);
  c.heads = count("heads", 1);
  if (flag("uneven"))
    fail("heads", fmt::format("found {} heads, expected a number that divides the hidden size, {}", c.heads, c.hidden));
  c.key_value_heads = count("key_value_heads", 1);
  c.head_width = count("head_width", 1), c.value_width = count("value_width");
  if (c.value_width == c.head_width) c.value_width = 0;
  c.feed_forward = count("feed_forward");
  c.vocabulary = whole("vocabulary", flag("reads_words") ? 1 : 0, most_words - 1);
  c.longest = count("longest", 1);
  c.positions = count("positions"), c.decoder_positions = count("decoder_positions");
  c.token_types = count("token_types"), c.relative_buckets = count("relative_buckets");
  c.relative_everywhere = flag("relative_everywhere");
  c.embedding_width = count("embedding_width");
  if (c.embedding_width == c.hidden) c.embedding_width = 0;
  if (flag("has_patches"))
    c.patches =
        Patches{count("patch_numbers", 1), count("patch_convolution"), count("patch_marks"), flag("patch_bias")};
  if (flag("has_words_of_blocks"))
    c.words_of_blocks = WordsOfBlocks{count("block_words_width", 1), whole("block_words", 1, most_words - 1)};
}

void FamilyReader::norms_and_biases(TransformerConfig& c) {
  c.gated = flag("gated"), c.causal = flag("causal");
  c.norm_embedding = flag("norm_embedding"), c.norm_last = flag("norm_last");
  c.norm_heads = flag("norm_heads"), c.norm_all_heads = flag("norm_all_heads");
  c.bias_query_key_value = flag("bias_query_key_value"), c.bias_output = flag("bias_output");
  c.bias_feed_forward = flag("bias_feed_forward"), c.no_key_bias = flag("no_key_bias");
  c.gated_attention = flag("gated_attention"), c.sinks = flag("sinks");
  c.dropout = probability("dropout"), c.attention_dropout = probability("attention_dropout");
  if (!ok()) return;
  c.norm = named(norm_names, word("norm")), c.norm_place = named(place_names, word("norm_place"));
}

void FamilyReader::output(TransformerConfig& c, const Ending* ending) {
  if (!ok()) return;
  c.head = named(head_names, word("head"));
  c.tied = flag("tied"), c.head_bias = flag("head_bias");
  own_head_ = !ending || ending->head == "own" || (ending->head == "none" && flag("model_has_head"));
  if (!own_head_) {
    c.head = named(head_names, ending->head);
    c.tied = false;
    c.head_bias = c.head == OutputHead::classes && flag("bias_classes");
    c.pooler = flag("pooler_without_words");
    if (ending->encoder_only) c.decoder_layers = c.decoder_positions = 0;
  }
  if (c.head == OutputHead::classes) c.classes = count("classes", 1);
}

void FamilyReader::further_tokens(ParsedTransformer& out, const ReadAs& as) {
  const int further = count("multi_token_blocks", 0, max_blocks);
  if (as.multi_token)
    out.config.multi_token = further;
  else if (further > 0)
    out.notes.push_back(fmt::format("The blocks that predict further tokens ({}) are left out; --multi-token counts {}",
                                    definition("multi_token_blocks").key, further == 1 ? "it" : "them"));
}

void FamilyReader::latent(TransformerConfig& c) {
  if (flag("is_latent")) {
    LatentAttention& latent = c.latent.emplace();
    latent.query_rank = count("query_rank"), latent.key_value_rank = count("key_value_rank", 1);
    latent.plain_width = count("plain_width", 1), latent.rotary_width = count("rotary_width", 1);
    latent.value_width = count("latent_value_width", 1);
  }
  if (flag("has_indexer"))
    c.indexer = Indexer{count("index_heads", 1), count("index_width", 1), count("index_positions", 1)};
  if (flag("is_compressed"))
    c.compressed = CompressedAttention{count("query_rank", 1), count("output_groups", 1), count("output_rank", 1)};
  c.streams = count("streams");
}

void FamilyReader::experts(TransformerConfig& c) {
  const int number = count("experts", 0, max_blocks);
  if (number == 0) return;
  Experts experts;
  experts.count = number;
  experts.per_token = count("experts_per_token", 1, max_blocks);
  experts.feed_forward = count("expert_feed_forward", 1);
  experts.shared_feed_forward = count("shared_feed_forward");
  experts.shared_gate = experts.shared_feed_forward > 0 && flag("shared_gate");
  experts.score_bias = flag("score_bias"), experts.bias = flag("expert_bias");
  experts.beside_dense = flag("experts_beside_dense");
  c.experts = std::move(experts);
}

void FamilyReader::mixers(TransformerConfig& c) {
  if (flag("has_state_space")) {
    StateSpace& space = c.state_space.emplace();
    space.inner = count("space_inner", 1), space.state = count("space_state", 1);
    space.heads = count("space_heads"), space.groups = count("space_groups");
    space.convolution = count("space_convolution"), space.step_rank = count("space_step_rank");
    space.bias = flag("space_bias"), space.bias_convolution = flag("space_bias_convolution");
    space.norms = flag("space_norms");
  }
  if (flag("has_linear_attention")) {
    LinearAttention& linear = c.linear_attention.emplace();
    linear.key_heads = count("linear_key_heads", 1), linear.value_heads = count("linear_value_heads", 1);
    linear.key_width = count("linear_key_width", 1), linear.value_width = count("linear_value_width", 1);
    linear.convolution = count("linear_convolution"), linear.gate_rank = count("linear_gate_rank");
    if (ok()) linear.decay = named(decay_names, word("linear_decay"));
  }
}

/// Reads the sizes that each block has for itself, and which blocks have experts.
void FamilyReader::blocks(TransformerConfig& c) {
  std::vector<int> kind_of;
  for (int i = 0; i < c.layers && ok(); ++i) {
    block = i;
    known_.clear();
    BlockKind kind;
    const std::string mixer = word("block_mixer");
    if (!ok()) return;
    kind.mixer = named(mixer_names, mixer);
    kind.heads = count("block_heads", 1), kind.key_value_heads = count("block_key_value_heads", 1);
    kind.head_width = count("block_head_width", 1), kind.value_width = count("block_value_width");
    if (kind.value_width == kind.head_width) kind.value_width = 0;
    kind.window = count("block_window"), kind.feed_forward = count("block_feed_forward");
    kind.makes_key_values = flag("block_makes_key_values"), kind.values_are_keys = flag("block_values_are_keys");
    kind.makes_index = flag("block_makes_index"), kind.compression = count("block_compression");
    if (ok() && kind.heads % kind.key_value_heads != 0)
      fail("block_key_value_heads",
           fmt::format("found {} heads of keys and values, expected a number that divides {} heads",
                       kind.key_value_heads, kind.heads));
    const bool routed = c.experts && flag("routed");
    if (c.experts && !routed) c.experts->dense.push_back(i);
    // A block with experts has no plain layer of its own unless both stand side by side.
    if (routed && !c.experts->beside_dense) kind.feed_forward = c.feed_forward;
    const auto same = std::ranges::find(c.kinds, kind);
    kind_of.push_back(static_cast<int>(same - c.kinds.begin()));
    if (same == c.kinds.end()) c.kinds.push_back(kind);
  }
  block = 0;
  known_.clear();
  if (!ok()) return;
  if (c.experts && c.experts->dense.size() == static_cast<std::size_t>(c.layers)) c.experts.reset();
  if (c.kinds.size() > 1) {
    c.kind_of = std::move(kind_of);
    return;
  }
  const BlockKind only = c.kinds.front();
  c.kinds.clear();
  c.mixer = only.mixer;
  c.heads = only.heads, c.key_value_heads = only.key_value_heads;
  c.head_width = only.head_width, c.value_width = only.value_width;
  c.window = only.window, c.feed_forward = only.feed_forward;
  c.makes_index = only.makes_index, c.compression = only.compression;
}

void FamilyReader::check(const TransformerConfig& c) {
  if (!ok()) return;
  if (c.experts && c.experts->per_token > c.experts->count)
    fail("experts_per_token", fmt::format("found {} experts a token, expected at most the {} there are",
                                          c.experts->per_token, c.experts->count));
}

std::string FamilyReader::text_of(const Remark& remark) {
  std::string text;
  for (const Expression& piece : remark.pieces) {
    const Datum datum = evaluate(piece, *this);
    const auto* own = std::get_if<std::string>(&datum.value);
    text += own ? *own : found_text({datum.value});
  }
  return text;
}

void FamilyReader::refuse(const Family& family) {
  if (family.like) refuse(*family.like);
  for (const Remark& remark : family.refusals) {
    const Datum when = evaluate(remark.when, *this);
    if (ok() && when.is_true()) problems_.add(place_of(when.key), text_of(remark));
  }
}

void FamilyReader::note(const Family& family, std::vector<std::string>& notes) {
  if (family.like) note(*family.like, notes);
  for (const Remark& remark : family.notes)
    if (evaluate(remark.when, *this).is_true()) notes.push_back(text_of(remark));
}

void FamilyReader::read(ParsedTransformer& out, const ReadAs& as, const Ending* ending) {
  TransformerConfig& c = out.config;
  refuse(family_);
  sizes(c);
  norms_and_biases(c);
  latent(c);
  experts(c);
  mixers(c);
  blocks(c);
  output(c, ending);
  further_tokens(out, as);
  check(c);
  if (ok()) note(family_, out.notes);
}

ImportShare FamilyReader::share() const {
  ImportShare share{.unit = "key"};
  for (const std::string& key : assumed_) share.assumed.push_back(fmt::format("{}, as {} has it", key, family_.name));
  if (const auto* members = file_.as<json::Members>())
    for (const auto& [key, value] : *members) {
      if (used_.contains(key))
        ++share.understood;
      else if (is_harmless(key))
        ++share.without_effect;
      else
        share.left_out.push_back(text::printable(key));
    }
  return share;
}

std::string FamilyReader::summary() const {
  const auto some = [](std::vector<std::string> names) {
    constexpr std::size_t most = 12;
    const std::size_t more = names.size() > most ? names.size() - most : 0;
    names.resize(names.size() - more);
    return names.empty()
               ? std::string("nothing")
               : fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  };
  return fmt::format("Read as {}; assumed as the family's class does: {}; left out: {}", family_.name, some(assumed_),
                     some(share().left_out));
}

}  // namespace pipedeck::io::huggingface
