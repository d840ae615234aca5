// SPDX-License-Identifier: Apache-2.0
#include "core/io/pickle/tree.hpp"

#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "core/io/json/value.hpp"
#include "core/io/text/printable.hpp"

namespace pipedeck::io::pickle {
namespace {

constexpr std::size_t longest_quote = 40;  // characters of a text in a message

Content number_of(const std::string& token) {
  std::int64_t whole = 0;
  const char* const end = token.data() + token.size();
  const auto [stop, problem] = std::from_chars(token.data(), end, whole);
  if (problem == std::errc() && stop == end) return whole;
  return std::strtod(token.c_str(), nullptr);
}

/// Adds a value. The parser has bounded the depth.
Node add_value(Tree& tree, const json::Value& value) {
  if (const auto* flag = value.as<bool>()) return tree.add(*flag);
  if (const auto* number = value.as<json::Number>()) return tree.add(number_of(number->token));
  if (const auto* text = value.as<std::string>()) return tree.add(*text);
  if (const auto* list = value.as<json::List>()) {
    Items items;
    items.reserve(list->size());
    for (const json::Value& one : *list) items.push_back(add_value(tree, one));
    return tree.add(std::move(items));
  }
  if (const auto* members = value.as<json::Members>()) {
    Pairs pairs;
    pairs.reserve(members->size());
    for (const auto& [key, one] : *members) {
      const Node name = tree.add(key);
      pairs.emplace_back(name, add_value(tree, one));
    }
    return tree.add(std::move(pairs));
  }
  return tree.add(None{});
}

}  // namespace

Node Tree::add(Content content) {
  nodes_.push_back(std::move(content));
  return static_cast<Node>(nodes_.size() - 1);
}

const Node* Tree::find(Node node, std::string_view key) const {
  const Pairs* pairs = as<Pairs>(node);
  if (!pairs || pairs->size() > most_named_members) return nullptr;
  for (auto pair = pairs->rbegin(); pair != pairs->rend(); ++pair)
    if (const std::string* name = as<std::string>(pair->first); name && *name == key) return &pair->second;
  return nullptr;
}

std::string Tree::describe(Node node) const {
  if (const auto* flag = as<bool>(node)) return *flag ? "True" : "False";
  if (const auto* whole = as<std::int64_t>(node)) return std::to_string(*whole);
  if (const auto* number = as<double>(node)) return fmt::format("{:g}", *number);
  if (const auto* text = as<std::string>(node)) return "\"" + text::printable(text->substr(0, longest_quote)) + "\"";
  if (const auto* items = as<Items>(node)) return fmt::format("a list of {}", items->size());
  if (const auto* pairs = as<Pairs>(node)) return fmt::format("a dictionary of {}", pairs->size());
  return "None";
}

Tree tree_of(const json::Value& value) {
  Tree tree;
  tree.set_root(add_value(tree, value));
  return tree;
}

}  // namespace pipedeck::io::pickle
