// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/training.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/io/json/words.hpp"
#include "core/io/json/writer.hpp"

namespace pipedeck::io::documents {
namespace {

using json::ObjectReader;
using json::ObjectWriter;
using json::Value;

constexpr double most_bytes = 64;  // per parameter, of each kind
constexpr std::array<std::string_view, 5> precisions{"bf16", "fp16", "fp8", "mxfp8", "nvfp4"};
constexpr std::array<std::string_view, 5> recipes{"delayed", "current", "tensorwise", "rowwise", "blockwise"};
constexpr std::array<std::pair<std::string_view, bool Hidden::*>, 5> hidden_words{{{"gradients", &Hidden::gradients},
                                                                                   {"weights", &Hidden::weights},
                                                                                   {"tensor", &Hidden::tensor},
                                                                                   {"expert", &Hidden::expert},
                                                                                   {"pipeline", &Hidden::pipeline}}};

/// Reads a word of a list; empty if it is missing.
template <std::size_t N>
std::string one_of(ObjectReader& in, std::string_view key, const std::array<std::string_view, N>& words) {
  if (!in.has(key)) return {};
  std::string found = in.text(key);
  if (in.ok() && std::ranges::find(words, found) == words.end())
    in.fail(key, fmt::format("found \"{}\", expected one of \"{}\"", found, fmt::join(words, "\", \"")));
  return found;
}

Hidden parse_hidden(ObjectReader& in) {
  if (!in.has("hidden")) return {};
  Hidden hidden{false, false, false, false, false};
  in.values("hidden", [&](const Value& value, const std::string& place) {
    const std::string word = json::read_text(value, place, in.problems());
    const auto* const known =
        std::ranges::find(hidden_words, word, &std::pair<std::string_view, bool Hidden::*>::first);
    if (known != hidden_words.end())
      hidden.*known->second = true;
    else
      in.problems().add(place, fmt::format("found {}, expected \"gradients\", \"weights\", \"tensor\", \"expert\" or "
                                           "\"pipeline\"",
                                           json::describe(value)));
  });
  return hidden;
}

Adapters parse_adapters(ObjectReader& in) {
  in.treat_null_as_absent();
  Adapters adapters;
  adapters.rank = in.count("rank");
  adapters.targets = in.word_or("targets", adapters.targets, parse_adapter_targets, json::words_of<AdapterTargets>());
  adapters.frozen = in.word_or("frozen", adapters.frozen, parse_frozen_weights, json::words_of<FrozenWeights>());
  return adapters;
}

void read_offload(ObjectReader& in, Training& training) {
  in.treat_null_as_absent();
  training.offloaded_blocks = in.count_or("blocks", 0, 0, limits::layers);
  training.offloads_optimizer = in.bool_or("optimizer", false);
  training.pages_optimizer = in.bool_or("pages_optimizer", false);
}

std::vector<LengthShare> parse_lengths(ObjectReader& in) {
  std::vector<LengthShare> lengths;
  double sum = 0;
  in.objects("sample_lengths", [&](ObjectReader& one) {
    one.treat_null_as_absent();
    LengthShare length;
    length.tokens = one.count("tokens");
    length.share = one.number("share", 0, 1);
    sum += length.share;
    lengths.push_back(length);
  });
  if (in.ok() && std::abs(sum - 1) > 1e-6)
    in.fail("sample_lengths", fmt::format("found shares with the sum {}, expected 1", sum));
  return lengths;
}

/// Reads choices that memory alone asks for.
void read_memory(ObjectReader& in, Training& training) {
  training.fused_weight_gradients = in.bool_or("fused_weight_gradients", true);
  training.narrow_weights = in.bool_or("narrow_weights", false);
  training.keeps_stage_outputs = in.bool_or("keeps_stage_outputs", false);
  training.bucket = in.number_or("bucket", 0, 0, 1e15);
  training.cached = in.number_or("cached", 0, 0, 1);
  training.context = in.number_or("context", training.context, 0, 1e15);
  training.own_groups = in.bool_or("own_groups", false);
  training.compiled = in.bool_or("compiled", false);
  if (in.has("offload")) in.object("offload", [&](ObjectReader& offload) { read_offload(offload, training); });
}

Training parse_training(ObjectReader& in) {
  Training training;
  training.products = one_of(in, "products", precisions);
  training.recipe = one_of(in, "scaling", recipes);
  training.attention = in.text_or("attention", "");
  training.hidden = parse_hidden(in);
  training.graphs = in.word_or("graphs", training.graphs, parse_graphs, json::words_of<Graphs>());
  training.loss = in.word_or("loss", training.loss, parse_loss_kind, json::words_of<LossKind>());
  training.loss_chunks = in.count_or("loss_chunks", training.loss_chunks);
  training.multi_token_blocks = in.count_or("multi_token_blocks", 0, 0, limits::layers);
  if (in.has("adapters")) in.object("adapters", [&](ObjectReader& one) { training.adapters = parse_adapters(one); });
  training.optimizer_step =
      in.word_or("optimizer_step", training.optimizer_step, parse_optimizer_step, json::words_of<OptimizerStep>());
  training.forward_ahead = in.count_or("gathers_ahead", 1, 1, 2) == 2 ? GatherAhead::two : GatherAhead::one;
  training.waits_for_input_gradients = in.bool_or("waits_for_input_gradients", false);
  training.scatters_sends = in.bool_or("scatters_sends", false);
  training.owned_tensors = in.count_or("owned_tensors", 0, 0, limits::layers);
  if (in.has("sample_lengths")) training.sample_lengths = parse_lengths(in);
  read_memory(in, training);
  return training;
}

LayerChoices parse_layers(ObjectReader& in) {
  LayerChoices layers;
  layers.dispatcher = in.word_or("dispatcher", layers.dispatcher, parse_dispatcher, json::words_of<Dispatcher>());
  layers.imbalance = in.number_or("imbalance", 1, 1, limits::devices);
  layers.capacity = in.number_or("capacity", 0, 0, limits::devices);
  layers.most_domains = in.count_or("most_domains", 0, 1, limits::devices);
  layers.dispatch_element = in.number_or("dispatch_element", 0, 0, most_bytes);
  layers.hides_behind_shared_experts = in.bool_or("hides_behind_shared_experts", false);
  layers.weighs_activation = in.bool_or("weighs_activation", false);
  layers.keeps_gathered = in.bool_or("keeps_gathered", false);
  layers.sends_output_back = in.bool_or("sends_output_back", false);
  layers.vocabulary_multiple = in.count_or("vocabulary_multiple", 0, 1, limits::samples);
  return layers;
}

StateBytes parse_states(ObjectReader& in) {
  in.treat_null_as_absent();
  StateBytes states;
  states.weights = in.number("weights", 0, most_bytes);
  states.gradients = in.number("gradients", 0, most_bytes);
  states.optimizer = in.number("optimizer", 0, most_bytes);
  states.step = in.number_or("step", 0, 0, most_bytes);
  states.freed = in.number_or("freed", 0, 0, most_bytes);
  return states;
}

WireBytes parse_wire(ObjectReader& in) {
  in.treat_null_as_absent();
  WireBytes wire;
  wire.weights = in.number("weights", 0, most_bytes);
  wire.gradients = in.number("gradients", 0, most_bytes);
  return wire;
}

// ---- writing

Value hidden_to_json(const Hidden& hidden) {
  json::List words;
  for (const auto& [word, member] : hidden_words)
    if (hidden.*member) words.push_back(Value(word));
  return Value(std::move(words));
}

Value lengths_to_json(const std::vector<LengthShare>& lengths) {
  return Value(json::list_of(lengths, [](const LengthShare& length) {
    ObjectWriter out;
    return out.add("tokens", length.tokens).add("share", json::number(length.share)).finish();
  }));
}

/// A writer of the members that differ from their defaults.
class Differences {
 public:
  explicit Differences(ObjectWriter& out) : out_(out) {}
  void number(std::string_view key, double value, double otherwise) {
    if (value != otherwise) out_.add(key, json::number(value));
  }
  void count(std::string_view key, int value, int otherwise) {
    if (value != otherwise) out_.add(key, value);
  }
  void flag(std::string_view key, bool value, bool otherwise) {
    if (value != otherwise) out_.add(key, Value(value));
  }
  void text(std::string_view key, const std::string& value) {
    if (!value.empty()) out_.add(key, value);
  }
  template <class Enum>
  void word(std::string_view key, Enum value, Enum otherwise) {
    if (value != otherwise) out_.add(key, pipedeck::name_of(value));
  }

 private:
  ObjectWriter& out_;
};

void write_memory(ObjectWriter& out, const Training& training) {
  const Training none;
  Differences to(out);
  to.flag("fused_weight_gradients", training.fused_weight_gradients, none.fused_weight_gradients);
  to.flag("narrow_weights", training.narrow_weights, none.narrow_weights);
  to.flag("keeps_stage_outputs", training.keeps_stage_outputs, none.keeps_stage_outputs);
  to.number("bucket", training.bucket, none.bucket);
  to.number("cached", training.cached, none.cached);
  to.number("context", training.context, none.context);
  to.flag("own_groups", training.own_groups, none.own_groups);
  to.flag("compiled", training.compiled, none.compiled);
  ObjectWriter offload;
  Differences of_offload(offload);
  of_offload.count("blocks", training.offloaded_blocks, 0);
  of_offload.flag("optimizer", training.offloads_optimizer, false);
  of_offload.flag("pages_optimizer", training.pages_optimizer, false);
  if (training.offloaded_blocks > 0 || training.offloads_optimizer || training.pages_optimizer)
    out.add("offload", offload.finish());
}

void write_training(ObjectWriter& out, const Training& training) {
  const Training none;
  Differences to(out);
  to.text("products", training.products);
  to.text("scaling", training.recipe);
  to.text("attention", training.attention);
  if (training.hidden != none.hidden) out.add("hidden", hidden_to_json(training.hidden));
  to.word("graphs", training.graphs, none.graphs);
  to.word("loss", training.loss, none.loss);
  to.count("loss_chunks", training.loss_chunks, none.loss_chunks);
  to.count("multi_token_blocks", training.multi_token_blocks, 0);
  if (training.adapters != none.adapters) out.add("adapters", adapters_to_json(training.adapters));
  to.word("optimizer_step", training.optimizer_step, none.optimizer_step);
  to.count("gathers_ahead", static_cast<int>(training.forward_ahead), 1);
  to.flag("waits_for_input_gradients", training.waits_for_input_gradients, false);
  to.flag("scatters_sends", training.scatters_sends, false);
  to.count("owned_tensors", training.owned_tensors, 0);
  if (!training.sample_lengths.empty()) out.add("sample_lengths", lengths_to_json(training.sample_lengths));
  write_memory(out, training);
}

void write_layers(ObjectWriter& out, const LayerChoices& layers) {
  const LayerChoices none;
  Differences to(out);
  to.word("dispatcher", layers.dispatcher, none.dispatcher);
  to.number("imbalance", layers.imbalance, none.imbalance);
  to.number("capacity", layers.capacity, none.capacity);
  to.count("most_domains", layers.most_domains, none.most_domains);
  to.number("dispatch_element", layers.dispatch_element, none.dispatch_element);
  to.flag("hides_behind_shared_experts", layers.hides_behind_shared_experts, false);
  to.flag("weighs_activation", layers.weighs_activation, false);
  to.flag("keeps_gathered", layers.keeps_gathered, false);
  to.flag("sends_output_back", layers.sends_output_back, false);
  to.count("vocabulary_multiple", layers.vocabulary_multiple, none.vocabulary_multiple);
}

}  // namespace

StepChoices parse_choices(ObjectReader& in) {
  in.treat_null_as_absent();
  StepChoices choices;
  choices.training = parse_training(in);
  choices.layers = parse_layers(in);
  if (in.has("states")) in.object("states", [&](ObjectReader& states) { choices.states = parse_states(states); });
  if (in.has("wire")) in.object("wire", [&](ObjectReader& wire) { choices.wire = parse_wire(wire); });
  return choices;
}

Value adapters_to_json(const Adapters& adapters) {
  ObjectWriter out;
  out.add("rank", adapters.rank)
      .add("targets", pipedeck::name_of(adapters.targets))
      .add("frozen", pipedeck::name_of(adapters.frozen));
  return out.finish();
}

Value choices_to_json(const StepChoices& choices) {
  ObjectWriter out;
  write_training(out, choices.training);
  write_layers(out, choices.layers);
  if (const auto& states = choices.states) {
    ObjectWriter bytes;
    bytes.add("weights", json::number(states->weights)).add("gradients", json::number(states->gradients));
    bytes.add("optimizer", json::number(states->optimizer));
    if (states->step > 0) bytes.add("step", json::number(states->step));
    if (states->freed > 0) bytes.add("freed", json::number(states->freed));
    out.add("states", bytes.finish());
  }
  if (const auto& wire = choices.wire) {
    ObjectWriter bytes;
    bytes.add("weights", json::number(wire->weights)).add("gradients", json::number(wire->gradients));
    out.add("wire", bytes.finish());
  }
  return out.finish();
}

}  // namespace pipedeck::io::documents
