// SPDX-License-Identifier: Apache-2.0
// The values of a pickle as nodes of one store. A node can be reached over several paths, as in Python: a call stack
// that a thousand events share is stored once. Readers therefore follow fixed paths, and remember what they made of a
// node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pipedeck::io::json {
class Value;
}

namespace pipedeck::io::pickle {

/// A position in a tree's store.
using Node = std::uint32_t;

struct None {
  bool operator==(const None&) const = default;
};
/// A list or a tuple.
using Items = std::vector<Node>;
/// A dictionary: keys and values, in the order of the file. The last one of equal keys counts.
using Pairs = std::vector<std::pair<Node, Node>>;
/// Integers beyond 64 bits are numbers. Bytes are texts.
using Content = std::variant<None, bool, std::int64_t, double, std::string, Items, Pairs>;

/// A dictionary with more members has no fixed names: nothing is looked up in it.
inline constexpr std::size_t most_named_members = 256;

class Tree {
 public:
  Node add(Content content);
  std::size_t size() const { return nodes_.size(); }
  Node root() const { return root_; }
  void set_root(Node root) { root_ = root; }
  const Content& content(Node node) const { return nodes_[node]; }
  Content& content(Node node) { return nodes_[node]; }
  template <class T>
  const T* as(Node node) const {
    return std::get_if<T>(&nodes_[node]);
  }
  /// Returns the member of a dictionary, or null: no dictionary, no such member, or more than most_named_members.
  const Node* find(Node node, std::string_view key) const;
  /// Returns the member if it has that type, or null.
  template <class T>
  const T* member(Node node, std::string_view key) const {
    const Node* found = find(node, key);
    return found ? as<T>(*found) : nullptr;
  }
  /// Returns a short description of the value: "\"abc\"", "a list of 3", "None".
  std::string describe(Node node) const;

 private:
  std::vector<Content> nodes_;
  Node root_ = 0;
};

/// Returns the same tree for a JSON document: whole numbers become integers, all others numbers.
Tree tree_of(const json::Value& value);

}  // namespace pipedeck::io::pickle
