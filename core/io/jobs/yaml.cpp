// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/yaml.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "core/io/text/utf8.hpp"

namespace pipedeck::io::jobs {
namespace {

constexpr int deepest_yaml = 64;

std::string place_of(const YAML::Mark& mark) {
  return mark.is_null() ? std::string() : fmt::format("line {}, column {}", mark.line + 1, mark.column + 1);
}

json::Value scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // in quotes
  for (const char* const null : {"", "~", "null", "Null", "NULL"})
    if (text == null) return {};
  for (const char* const yes : {"true", "True", "TRUE"})
    if (text == yes) return "true";
  for (const char* const no : {"false", "False", "FALSE"})
    if (text == no) return "false";
  return text;
}

Result<json::Value> tree_of(const YAML::Node& node, int depth, int& nodes, int most_nodes) {
  if (++nodes > most_nodes || depth > deepest_yaml)
    return fail(ErrorCode::bad_input,
                fmt::format("found more than {} values or {} levels, expected fewer", most_nodes, deepest_yaml),
                place_of(node.Mark()));
  if (node.IsScalar()) return scalar(node);
  if (node.IsSequence()) {
    json::List list;
    for (const YAML::Node& one : node) {
      TRY(auto value, tree_of(one, depth + 1, nodes, most_nodes));
      list.push_back(std::move(value));
    }
    return json::Value(std::move(list));
  }
  if (!node.IsMap()) return json::Value();
  json::Members members;
  for (const auto& member : node) {
    if (!member.first.IsScalar())
      return fail(ErrorCode::bad_input, "found a key that is no text, expected a name", place_of(member.first.Mark()));
    TRY(auto value, tree_of(member.second, depth + 1, nodes, most_nodes));
    members.emplace_back(member.first.Scalar(), std::move(value));
  }
  return json::Value(std::move(members));
}

/// Returns true if every reader takes the word for text, a number, or a truth value of JSON.
bool is_plain_word(std::string_view word) {
  constexpr std::array<std::string_view, 12> other{"y", "n", "yes", "no", "on",   "off",
                                                   "~", "-", ".",   "",   "null", "none"};
  std::string small;
  for (const char c : word) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                       c == '.' || c == '-' || c == '/' || c == '+';
    if (!plain) return false;
    small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return std::ranges::find(other, small) == other.end() && !word.starts_with('-');
}

std::string scalar_text(const json::Value& value) {
  const auto* const word = value.as<std::string>();
  ensure(word || value.is_null(), "a scalar of a configuration is text or null");
  if (!word) return "null";
  return is_plain_word(*word) ? *word : json::compact(value);  // a JSON string is a YAML string
}

void write_members(std::string& text, const json::Members& members, std::size_t indent) {
  for (const auto& [key, value] : members) {
    text += std::string(indent, ' ') + key + ":";
    if (const auto* const inner = value.as<json::Members>()) {
      text += inner->empty() ? " {}\n" : "\n";
      write_members(text, *inner, indent + 2);
      continue;
    }
    text += ' ';
    if (const auto* const list = value.as<json::List>()) {
      std::string words;
      for (const json::Value& one : *list) words += (words.empty() ? "" : ", ") + scalar_text(one);
      text += "[" + words + "]\n";
    } else {
      text += scalar_text(value) + "\n";
    }
  }
}

}  // namespace

std::string yaml_of(const json::Members& tree) {
  std::string text;
  write_members(text, tree, 0);
  return text;
}

Result<json::Value> tree_from_yaml(const std::string& text, const YamlLimits& limits) {
  if (text.size() > limits.bytes)
    return fail(ErrorCode::bad_input, fmt::format("found {} bytes, expected at most {}", text.size(), limits.bytes));
  if (!text::is_utf8(text)) return fail(ErrorCode::bad_input, "found bytes that are not UTF-8, expected text");
  try {
    int nodes = 0;
    return tree_of(YAML::Load(text), 0, nodes, limits.values);
  } catch (const YAML::Exception& error) {
    return fail(ErrorCode::bad_input, fmt::format("found no YAML: {}", error.msg), place_of(error.mark));
  }
}

}  // namespace pipedeck::io::jobs
