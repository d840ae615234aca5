// SPDX-License-Identifier: Apache-2.0
#include "core/io/huggingface/config.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/io/huggingface/families.hpp"
#include "core/io/huggingface/family_reader.hpp"
#include "core/io/json/reader.hpp"

namespace pipedeck::io::huggingface {
namespace {

using json::ErrorCollector;
using json::Value;

std::string last_part(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string text_in(const Value& file, std::string_view key) {
  const Value* value = file.find(key);
  const auto* text = value ? value->as<std::string>() : nullptr;
  return text ? *text : std::string();
}

/// Adds a note on weights that are stored in few bits.
void note_quantization(const Value& file, ParsedTransformer& out) {
  const Value* stored = file.find("quantization_config");
  if (!stored || stored->is_null()) return;
  const std::string method = text_in(*stored, "quant_method");
  out.notes.push_back(fmt::format(
      "The file's weights are stored in {} (quantization_config). It is left out: times and memory are those of "
      "training in the precision that is chosen",
      method.empty() ? "few bits" : method));
}

/// A part of a file that is one model, and the family that the file around it gives it.
struct Part {
  const Value* file;
  const Value* outer = nullptr;
  std::string place;
  std::string type;
};

/// Finds the model that reads text, or else the only one, in a file that may hold several.
Part part_of(const Value& document, std::vector<std::string>& notes) {
  Part part{&document, nullptr, {}, text_in(document, "model_type")};
  for (int depth = 0; depth < 3; ++depth) {
    const Family* family = find_family(part.type);
    std::vector<std::string> members{"text_config", "language_config", "llm_config", "thinker_config"};
    if (family) members = {family->inside};
    for (const std::string& member : members) {
      const Value* inner = member.empty() ? nullptr : part.file->find(member);
      if (!inner || !inner->as<json::Members>()) continue;
      const std::string type = text_in(*inner, "model_type");
      if (type.empty() && !family) continue;
      part = {inner, part.file, part.place + json::step(member), type.empty() ? family->as : type};
      notes = {fmt::format("The part that {} is taken ({}); all else of the file is left out",
                           member == "vision_config" ? "sees" : "reads text", part.place.substr(1))};
      break;
    }
    if (part.file == &document || family == find_family(part.type)) break;
  }
  return part;
}

/// An architecture's name in two.
struct Architecture {
  std::string whole, name;
  const Ending* ending = nullptr;
};

Architecture architecture_of(const Value& file) {
  const Value* list = file.find("architectures");
  const auto* names = list ? list->as<json::List>() : nullptr;
  const auto* name = names && !names->empty() ? names->front().as<std::string>() : nullptr;
  if (!name) return {};
  for (const Ending& ending : endings())
    if (name->size() > ending.name.size() && name->ends_with(ending.name))
      return {*name, name->substr(0, name->size() - ending.name.size()), &ending};
  return {*name, *name, nullptr};
}

/// Returns whether a name is one of a model that only drafts tokens for another.
bool is_draft(const Value& file, std::string_view architecture) {
  for (const char* word : {"Eagle", "EAGLE", "Draft", "Medusa", "Speculator"})
    if (architecture.find(word) != architecture.npos) return true;
  return std::ranges::any_of(std::array{"draft_vocab_size", "eagle_config", "dflash_config", "speculators_model_type"},
                             [&](const char* key) { return file.find(key) != nullptr; });
}

/// Returns whether the keys are those that Llama's family has.
bool is_like_llama(const Value& file) {
  return std::ranges::all_of(
      std::array{"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size"},
      [&](const char* key) { return file.find(key) != nullptr; });
}

class Importer {
 public:
  Importer(const Value& document, const std::string& name, const ReadAs& as)
      : document_(document),
        as_(as),
        part_(part_of(document, out_.notes)),
        architecture_(architecture_of(*part_.file)) {
    out_.config.family = part_.type;
    for (const Value* file : {part_.file, &document})
      if (out_.config.name.empty()) out_.config.name = last_part(text_in(*file, "_name_or_path"));
    if (out_.config.name.empty()) out_.config.name = name;
  }

  Result<ParsedTransformer> run() {
    const Family* family = choose_family();
    if (!problems_.first && family) read(*family);
    if (problems_.first) return tl::unexpected(*problems_.first);
    return std::move(out_);
  }

 private:
  void fail(std::string_view key, std::string message) {
    problems_.add(part_.place + json::step(key), std::move(message));
  }

  const Family* choose_family() {
    const Value* type = part_.file->find("model_type");
    if (type && !type->as<std::string>()) {
      fail("model_type", fmt::format("found {}, expected a text", json::describe(*type)));
      return nullptr;
    }
    const Family* family = find_family(part_.type);
    const bool drafts = is_draft(*part_.file, architecture_.whole);
    if (as_.llama && (drafts || (!architecture_.whole.empty() && !architecture_.ending))) return unknown_family();
    if (architecture_.whole.empty() && !drafts) return family ? family : unnamed_family();
    return checked(family, drafts);
  }

  /// Compares the family with the architecture that the file names.
  const Family* checked(const Family* family, bool drafts) {
    if (drafts) {
      fail("architectures",
           fmt::format("found {}, a model that drafts tokens for another: its blocks and its words are "
                       "not those of its family, and it is not known",
                       json::describe(Value(architecture_.whole.empty() ? part_.type : architecture_.whole))));
      return nullptr;
    }
    const Family* by_class = family_of_class(architecture_.name);
    if (!family && !by_class) return unknown_family();
    if (!architecture_.ending && part_.outer == nullptr) {
      fail("architectures",
           fmt::format("found {}, expected an architecture that ends as {} does",
                       json::describe(Value(architecture_.whole)), by_class ? "ForCausalLM" : "LlamaForCausalLM"));
      return nullptr;
    }
    if (!family) {
      needs_sizes_ = true;
      out_.notes.push_back(fmt::format(
          "{}: {} is of the family {}, which is taken",
          part_.type.empty() ? "The file has no model_type" : "The model_type " + part_.type + " is not known",
          architecture_.whole, by_class->name));
      return by_class;
    }
    if (part_.outer || is_like(family, by_class)) return family;
    if (by_class) {
      out_.notes.push_back(fmt::format("model_type is {}, but {} is of the family {}: the latter is taken", part_.type,
                                       architecture_.whole, by_class->name));
      return by_class;
    }
    out_.notes.push_back(
        fmt::format("Assumed: {} is built as the other models of the family {}", architecture_.whole, family->name));
    return family;
  }

  /// Returns the family that the keys of a file without names show.
  const Family* unnamed_family() {
    const Family* by_keys = part_.type.empty() && !as_.llama ? family_of_keys(*part_.file) : nullptr;
    if (!by_keys) return unknown_family();
    needs_sizes_ = true;
    out_.config.family = (by_keys->architectures.empty() && by_keys->like->like ? by_keys->like : by_keys)->name;
    out_.notes.push_back(fmt::format("The file has no model_type: {} are keys of the family {}, which is taken",
                                     fmt::join(by_keys->keys, ", "), by_keys->name));
    return by_keys;
  }

  /// Returns whether a family is another one, or follows it.
  static bool is_like(const Family* family, const Family* other) {
    while (family && family != other) family = family->like;
    return family != nullptr && other != nullptr;
  }

  const Family* unknown_family() {
    const Family* llama = find_family("llama");
    if (is_like_llama(*part_.file) && as_.llama) {
      out_.notes.push_back(fmt::format(
          "Assumed, as asked (--as-llama): {} is built as Llama: root-mean-square norms before attention and a gated "
          "feed-forward layer, rotary positions, no biases but those that attention_bias and mlp_bias name",
          part_.type.empty() ? "the model" : part_.type));
      return llama;
    }
    if (part_.type.empty()) {
      fail("model_type",
           fmt::format("found none, expected the name of a family (docs/formats.md lists them){}", as_llama_hint()));
      return nullptr;
    }
    fail("model_type", fmt::format("found {}, expected one of the {} families that docs/formats.md lists{}",
                                   json::describe(Value(part_.type)), family_names().size(), as_llama_hint()));
    return nullptr;
  }

  const char* as_llama_hint() const {
    return is_like_llama(*part_.file)
               ? "; its keys are those of Llama's: --as-llama reads it so, and prints what it assumes"
               : "";
  }

  void read(const Family& family) {
    FamilyReader reader(family, *part_.file, part_.outer, part_.place, problems_);
    reader.read(out_, as_, architecture_.ending);
    for (const char* size : {"hidden", "layers", "heads"})
      if (needs_sizes_ && !problems_.first && !reader.definition(size).raw)
        problems_.add(part_.place + json::step(reader.definition(size).key),
                      "found none, expected it in a file whose model_type is not known");
    if (problems_.first) return;
    if (architecture_.ending && architecture_.ending->head != "own")
      out_.notes.push_back(fmt::format("The architecture is {}: its output is {}", architecture_.whole,
                                       out_.config.head == OutputHead::none ? "the last block's, without a loss"
                                       : out_.config.head == OutputHead::classes
                                           ? fmt::format("of {} classes", out_.config.classes)
                                           : "of its words"));
    note_quantization(part_.file->find("quantization_config") ? *part_.file : document_, out_);
    out_.notes.push_back(reader.summary());
    out_.share = reader.share();
  }

  const Value& document_;
  const ReadAs& as_;
  ParsedTransformer out_;
  Part part_;
  Architecture architecture_;
  ErrorCollector problems_;
  bool needs_sizes_ = false;  ///< the class's defaults are not for a file that names no family
};

}  // namespace

Result<Value> parse(const std::string& text) {
  auto parsed = json::parse(text);
  if (parsed || text.find("\"model_type\"") == text.npos) return parsed;
  std::string plain;
  bool quoted = false, changed = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (!quoted)
      for (const std::string_view word : {"-Infinity", "Infinity", "NaN"})
        if (rest.starts_with(word)) {
          plain += "null";
          i += word.size();
          changed = true;
          break;
        }
    if (i == text.size()) break;
    plain += text[i];
    if (quoted && text[i] == '\\' && i + 1 < text.size())
      plain += text[++i];
    else if (text[i] == '"')
      quoted = !quoted;
  }
  return changed ? json::parse(plain) : parsed;
}

bool looks_like_hugging_face(const Value& document) {
  if (document.find("format")) return false;
  return document.find("model_type") != nullptr || document.find("architectures") != nullptr ||
         family_of_keys(document) != nullptr || is_like_llama(document);
}

Result<ParsedTransformer> transformer_from_hugging_face(const std::string& text, const std::string& name,
                                                        const ReadAs& as) {
  TRY(const auto document, parse(text));
  return transformer_from_document(document, name, as);
}

Result<ParsedTransformer> transformer_from_document(const Value& document, const std::string& name, const ReadAs& as) {
  return Importer(document, name, as).run();
}

std::vector<std::string> families() { return family_names(); }

}  // namespace pipedeck::io::huggingface
