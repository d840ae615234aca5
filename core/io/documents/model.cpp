// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "core/io/documents/formats.hpp"
#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"
#include "core/model/layer_kinds.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::io::documents {
namespace {

using json::ObjectReader;
using json::ObjectWriter;
using json::Value;

/// Seeds use all 64 bits.
std::uint64_t seed_or(ObjectReader& in, std::uint64_t otherwise) {
  if (!in.has("seed")) return otherwise;
  const Value& value = *in.get("seed");
  std::uint64_t seed = 0;
  if (const json::Number* number = value.as<json::Number>()) {
    const char* end = number->token.data() + number->token.size();
    const auto read = std::from_chars(number->token.data(), end, seed);
    if (read.ec == std::errc() && read.ptr == end) return seed;
  }
  in.fail("seed", fmt::format("found {}, expected a whole number from 0 to {}", json::describe(value),
                              std::numeric_limits<std::uint64_t>::max()));
  return otherwise;
}

/// A layer's sizes are members next to its name; they depend on the kind. Missing ones get the kind's value.
ModelLayer parse_layer(ObjectReader& in) {
  ModelLayer layer;
  layer.name = in.text("name");
  layer.kind = in.text("kind");
  const LayerKind* kind = parse_layer_kind(layer.kind);
  if (!in.ok() || !kind) return layer;  // validate() knows the kinds
  for (const SizeRule& rule : kind->sizes) {
    const std::string key(rule.name);
    if (!rule.otherwise || in.has(key)) {
      const Value* value = in.get(key);
      if (value) layer.sizes[key] = json::read_integer(*value, rule.least, rule.most, in.place_of(key), in.problems());
    } else {
      layer.sizes[key] = *rule.otherwise;
    }
  }
  return layer;
}

DataSource parse_data(ObjectReader& in) {
  DataSource data;
  data.kind = in.text_or("kind", "synthetic");
  data.path = in.text_or("path", "");
  data.seed = seed_or(in, 1);
  return data;
}

Value layer_to_json(const ModelLayer& layer) {
  ObjectWriter out;
  out.add("name", layer.name).add("kind", layer.kind);
  const LayerKind* kind = parse_layer_kind(layer.kind);
  if (kind)  // in the kind's order, as people write them
    for (const SizeRule& rule : kind->sizes)
      if (const auto size = layer.sizes.find(std::string(rule.name)); size != layer.sizes.end())
        out.add(rule.name, json::integer(size->second));
  return out.finish();
}

Value data_to_json(const DataSource& data) {
  ObjectWriter out;
  out.add("kind", data.kind);
  if (!data.path.empty()) out.add("path", data.path);
  return out.add("seed", json::Number{std::to_string(data.seed)}).finish();
}

}  // namespace

Result<ModelSpec> model_from_json(const std::string& text) {
  ModelSpec model;
  const Result<void> read = json::read_document(text, "pipedeck.model", [&](ObjectReader& in) {
    model.name = in.text_or("name", "");
    model.source = in.text_or("source", "");
    model.trainable_here = in.bool_or("trainable_here", false);
    model.learning_rate = in.number_or("learning_rate", 1e-3, 0, 1e3);
    model.seed = seed_or(in, 1);
    if (in.has("data")) in.object("data", [&](ObjectReader& data) { model.data = parse_data(data); });
    in.objects("layers", [&](ObjectReader& layer) { model.layers.push_back(parse_layer(layer)); });
    model.extra = in.preserve_unknown_members();
  });
  if (!read) return tl::unexpected(read.error());
  if (const Result<void> valid = plan::validate(model); !valid) return tl::unexpected(valid.error());
  return model;
}

std::string model_to_json(const ModelSpec& model) {
  ObjectWriter out = ObjectWriter::document("pipedeck.model");
  out.add("name", model.name).add("source", model.source);
  out.add("trainable_here", Value(model.trainable_here)).add("learning_rate", json::number(model.learning_rate));
  out.add("seed", json::Number{std::to_string(model.seed)}).add("data", data_to_json(model.data));
  out.add("layers", json::list_of(model.layers, layer_to_json));
  return json::pretty(out.finish(model.extra));
}

}  // namespace pipedeck::io::documents
