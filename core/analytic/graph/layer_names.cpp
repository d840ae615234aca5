// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/graph/layer_names.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pipedeck::analytic::graph {
namespace {

using Path = std::vector<std::string>;

Path parts_of(const std::string& name, char mark) {
  Path parts;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find(mark, at), name.size());
    if (end > at) parts.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// Returns the common path without the last part, which is the weight's or the operator's own.
Path common(const std::vector<std::string>& names, char mark) {
  Path all;
  bool first = true;
  for (const std::string& name : names) {
    Path path = parts_of(name, mark);
    if (path.size() < 2) continue;
    path.pop_back();
    if (first) {
      all = std::move(path);
      first = false;
      continue;
    }
    const auto [end, other] = std::ranges::mismatch(all, path);
    all.erase(end, all.end());
  }
  return all;
}

bool is_generated_name(const std::string& name) {
  return name.find("::") != name.npos ||
         std::ranges::all_of(name, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

}  // namespace

std::string module_of_weights(const std::vector<std::string>& weights) {
  std::vector<std::string> named;
  for (const std::string& name : weights)
    if (!is_generated_name(name)) named.push_back(name);
  if (named.size() * 2 < weights.size() || named.empty()) return {};
  const Path path = common(named, '.');
  if (!path.empty()) return fmt::format("{}", fmt::join(path, "."));
  return fmt::format("{}", fmt::join(common({named.front()}, '.'), "."));
}

std::string module_of_operators(const std::vector<std::string>& names) {
  const Path path = common(names, '/');
  if (!path.empty()) {
    // PyTorch repeats a list's name in its members: "layer1", "layer1.0".
    Path parts;
    for (const std::string& part : path) {
      if (!parts.empty() && part.starts_with(parts.back() + ".")) parts.pop_back();
      parts.push_back(part);
    }
    return fmt::format("{}", fmt::join(parts, "."));
  }
  const Path first = names.empty() ? Path() : parts_of(names.front(), '/');
  return first.empty() ? "" : first.back();
}

std::string make_unique_name(std::string name, std::map<std::string, int>& given) {
  constexpr std::size_t longest = 120;
  const bool cut = name.size() > longest;
  if (cut) name.resize(longest);
  // Not inside a character.
  while (cut && !name.empty() && (static_cast<unsigned char>(name.back()) & 0xC0) == 0x80) name.pop_back();
  if (cut && !name.empty() && static_cast<unsigned char>(name.back()) >= 0xC0) name.pop_back();
  if (name.empty()) name = "layer";
  for (;;) {
    const int before = given[name]++;
    if (before == 0) return name;
    std::string next = fmt::format("{}_{}", name, before + 1);
    if (!given.contains(next)) return given[next] = 1, next;
  }
}

}  // namespace pipedeck::analytic::graph
