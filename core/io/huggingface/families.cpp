// SPDX-License-Identifier: Apache-2.0
#include "core/io/huggingface/families.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/base/result.hpp"
#include "core/io/huggingface/embedded.hpp"
#include "core/io/json/value.hpp"

namespace pipedeck::io::huggingface {
namespace {

using json::Value;

const std::string& text_of(const Value& value) {
  const auto* text = value.as<std::string>();
  ensure(text != nullptr, "this member of architectures.json is a text");
  return *text;
}

std::vector<std::string> texts_of(const Value& value) {
  std::vector<std::string> texts;
  const auto* list = value.as<json::List>();
  ensure(list != nullptr, "this member of architectures.json is a list");
  for (const Value& one : *list) texts.push_back(text_of(one));
  return texts;
}

const json::Members& members_of(const Value* value) {
  const auto* members = value ? value->as<json::Members>() : nullptr;
  ensure(members != nullptr, "this member of architectures.json is an object");
  return *members;
}

/// Returns the text of an expression: a text, or a list of its parts.
std::string expression_in(const Value& value) {
  if (value.as<std::string>()) return text_of(value);
  std::string joined;
  for (const std::string& part : texts_of(value)) joined += (joined.empty() ? "" : " ") + part;
  return joined;
}

/// Reads {"text with {expression}": "condition"}.
std::vector<Remark> remarks_of(const Value& value) {
  std::vector<Remark> remarks;
  for (const auto& [text, when] : members_of(&value)) {
    Remark& remark = remarks.emplace_back(Remark{parse_expression(expression_in(when)), {}});
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t open = std::min(text.find('{', at), text.size());
      if (open > at) remark.pieces.push_back({Expression::Kind::literal, {}, {text.substr(at, open - at)}});
      if (open == text.size()) break;
      const std::size_t close = text.find('}', open);
      ensure(close != text.npos, "a brace of architectures.json is closed");
      remark.pieces.push_back(parse_expression(text.substr(open + 1, close - open - 1)));
      at = close + 1;
    }
  }
  return remarks;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// All that architectures.json holds.
class Table {
 public:
  Table() {
    const auto parsed = json::parse(embedded_architectures().front());
    ensure(parsed.has_value(), "architectures.json is JSON");
    const Value* harmless = parsed->find("harmless");
    ensure(harmless != nullptr, "architectures.json names keys without influence");
    harmless_ = texts_of(*harmless);
    for (const auto& [name, head] : members_of(parsed->find("endings"))) {
      const std::string& word = text_of(head);
      endings_.push_back({name, word == "encoder" ? "none" : word, word == "encoder"});
    }
    // The longest first: "ForCausalLM" before "LM".
    std::ranges::stable_sort(endings_, std::ranges::greater{}, [](const Ending& one) { return one.name.size(); });
    const json::Members& families = members_of(parsed->find("families"));
    for (const auto& [name, unused] : families) families_[name].name = name;
    for (const auto& [name, description] : families) fill(families_.find(name)->second, description);
  }

  const Family* find(std::string_view name) const {
    const auto found = families_.find(name);
    return found == families_.end() || found->first == base ? nullptr : &found->second;
  }
  const Family* of_class(std::string_view name) const {
    const auto found = classes_.find(lower(name));
    return found == classes_.end() ? nullptr : found->second;
  }
  const Family* of_keys(const Value& file) const {
    const Family* most = nullptr;
    for (const auto& [name, family] : families_)
      if (family.keys.size() > (most ? most->keys.size() : 0) &&
          std::ranges::all_of(family.keys, [&](const std::string& key) { return file.find(key) != nullptr; }))
        most = &family;
    return most;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, family] : families_)
      if (name != base) names.push_back(name);
    return names;
  }
  bool is_harmless(std::string_view key) const {
    return std::ranges::any_of(harmless_, [&](const std::string& pattern) {
      if (pattern.starts_with('*')) return key.ends_with(std::string_view(pattern).substr(1));
      if (pattern.ends_with('*')) return key.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
      return key == pattern;
    });
  }
  const std::vector<Ending>& endings() const { return endings_; }

 private:
  static constexpr std::string_view base = "base";

  void fill(Family& family, const Value& description) {
    std::string like = family.name == base ? "" : std::string(base);
    for (const auto& [key, value] : members_of(&description)) {
      if (key == "like")
        like = text_of(value);
      else if (key == "architectures")
        family.architectures = texts_of(value);
      else if (key == "keys")
        family.keys = texts_of(value);
      else if (key == "notes")
        family.notes = remarks_of(value);
      else if (key == "refuse")
        family.refusals = remarks_of(value);
      else if (key == "inside")
        family.inside = text_of(value);
      else if (key == "as")
        family.as = text_of(value);
      else
        family.definitions.emplace(key, parse_expression(expression_in(value)));
    }
    const auto parent = families_.find(like);
    ensure(like.empty() || parent != families_.end(), "families are like known ones");
    if (!like.empty()) family.like = &parent->second;
    for (const std::string& name : family.architectures) classes_.emplace(lower(name), &family);
  }

  std::map<std::string, Family, std::less<>> families_;
  std::map<std::string, const Family*, std::less<>> classes_;
  std::vector<std::string> harmless_;
  std::vector<Ending> endings_;
};

const Table& table() {
  static const Table read;
  return read;
}

}  // namespace

const Expression* Family::find(std::string_view definition) const {
  for (const Family* family = this; family; family = family->like)
    if (const auto found = family->definitions.find(definition); found != family->definitions.end())
      return &found->second;
  return nullptr;
}

const Family* find_family(std::string_view model_type) { return table().find(model_type); }
const Family* family_of_class(std::string_view name) { return table().of_class(name); }
const Family* family_of_keys(const Value& file) { return table().of_keys(file); }
std::vector<std::string> family_names() { return table().names(); }
bool is_harmless(std::string_view key) { return table().is_harmless(key); }
const std::vector<Ending>& endings() { return table().endings(); }

}  // namespace pipedeck::io::huggingface
