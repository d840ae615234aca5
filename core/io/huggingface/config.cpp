// SPDX-License-Identifier: Apache-2.0
#include "core/io/huggingface/config.hpp"

#include <fmt/format.h>

#include "core/io/huggingface/families.hpp"
#include "core/io/json/reader.hpp"

namespace pipedeck::io::huggingface {
namespace {

using json::ErrorCollector;
using json::ObjectReader;
using json::Value;

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

/// Adds a note on weights that are stored in few bits.
void note_quantization(const Value& file, ParsedTransformer& out) {
  const Value* stored = file.find("quantization_config");
  if (!stored || stored->is_null()) return;
  const Value* method = stored->find("quant_method");
  const std::string* name = method ? method->as<std::string>() : nullptr;
  out.notes.push_back(fmt::format(
      "The file's weights are stored in {} (quantization_config). It is left out: times and memory are those of "
      "training in the precision that is chosen",
      name ? *name : "few bits"));
}

void read_config(const Value& file, ObjectReader& in, const std::string& name, ParsedTransformer& out) {
  in.treat_null_as_absent();
  out.config.family = in.text("model_type");
  out.config.name = last_part(in.text_or("_name_or_path", ""));
  if (out.config.name.empty()) out.config.name = name;
  const auto family = readers().find(out.config.family);
  if (!in.ok()) return;
  if (family == readers().end()) {
    std::string known;
    for (const auto& [type, reader] : readers()) known += (known.empty() ? "" : ", ") + type;
    in.fail("model_type",
            fmt::format("found {}, expected one of: {}", json::describe(Value(out.config.family)), known));
    return;
  }
  family->second(file, in, out);
  if (in.ok()) check(in, out.config);
}

}  // namespace

bool looks_like_hugging_face(const Value& document) {
  return document.find("model_type") != nullptr && document.find("format") == nullptr;
}

Result<ParsedTransformer> transformer_from_hugging_face(const std::string& text, const std::string& name) {
  const Result<Value> document = json::parse(text);
  if (!document) return tl::unexpected(document.error());
  ParsedTransformer out;
  ErrorCollector problems;
  const Value* nested = document->find("text_config");
  if (nested && nested->find("model_type")) {
    out.notes.push_back("The part that reads text is taken (text_config); what sees or hears is left out");
  } else {
    nested = nullptr;
  }
  const Value& file = nested ? *nested : *document;
  ObjectReader in(file, nested ? "/text_config" : "", problems);
  read_config(file, in, name, out);
  note_quantization(file.find("quantization_config") ? file : *document, out);
  if (problems.first) return tl::unexpected(*problems.first);
  return out;
}

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const auto& [name, reader] : readers()) names.push_back(name);
  return names;
}

}  // namespace pipedeck::io::huggingface
