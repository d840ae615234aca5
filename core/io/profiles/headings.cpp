// SPDX-License-Identifier: Apache-2.0
// The meaning of a layer table's headings.
#include "core/io/profiles/headings.hpp"

#include <algorithm>
#include <array>

#include "core/base/quantity_text.hpp"

namespace pipedeck::io::profiles {
namespace {

constexpr std::array<ProfileKey, 9> keys{{{"name", {}, "", true},
                                          {"kind", {}, "", false},
                                          {"forward_ms", QuantityKind::time, "ms", true},
                                          {"backward_ms", QuantityKind::time, "ms", true},
                                          {"backward_weight_ms", QuantityKind::time, "ms", false},
                                          {"output_bytes", QuantityKind::bytes, "B", true},
                                          {"saved_bytes", QuantityKind::bytes, "B", false},
                                          {"parameter_bytes", QuantityKind::bytes, "B", true},
                                          {"workspace_bytes", QuantityKind::bytes, "B", false}}};

/// Words of measuring programs' headings for each key; the most specific ones come first.
struct KeyWords {
  std::string_view key;
  std::vector<std::string_view> words, beside;  ///< one of each; `beside` empty: no second one is needed
};
const std::vector<KeyWords>& key_words() {
  static const std::vector<std::string_view> back{"backward", "bwd", "bw", "bprop", "backprop"};
  static const std::vector<KeyWords> all{
      {"backward_weight_ms", back, {"weight", "weights", "wgrad", "dw"}},
      {"backward_weight_ms", {"wgrad", "dw"}, {}},
      {"backward_ms", back, {}},
      {"forward_ms", {"forward", "fwd", "fw", "fprop"}, {}},
      {"saved_bytes", {"saved", "stashed", "stash", "kept"}, {}},
      {"workspace_bytes", {"workspace", "scratch", "temporary", "temp"}, {}},
      {"parameter_bytes", {"parameters", "parameter", "params", "param", "weights", "weight"}, {}},
      {"output_bytes", {"output", "outputs", "out", "activation", "activations", "act"}, {}},
      {"kind", {"kind", "type", "class"}, {}},
      {"name", {"name", "layer", "module", "operator", "op", "node"}, {}}};
  return all;
}

/// The key without its unit: "forward" of "forward_ms".
std::string_view stem_of(std::string_view key) {
  const std::size_t end = key.rfind('_');
  return end == key.npos ? key : key.substr(0, end);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return lower(c); });
  return text;
}

/// "FwdTime_total" is fwd, time, total.
std::vector<std::string> words_of(const std::string& heading) {
  std::vector<std::string> words(1);
  char before = 0;
  for (const char c : heading) {
    const bool letter = lower(c) >= 'a' && lower(c) <= 'z';
    const bool hump = letter && c != lower(c) && before >= 'a' && before <= 'z';
    if (!letter || hump) words.emplace_back();
    if (letter) words.back() += lower(c);
    before = c;
  }
  std::erase(words, std::string());
  return words;
}

bool has_any(const std::vector<std::string>& words, const std::vector<std::string_view>& wanted) {
  return std::ranges::any_of(words,
                             [&](const std::string& word) { return std::ranges::find(wanted, word) != wanted.end(); });
}

std::string_view key_by_words(const std::string& heading) {
  const std::vector<std::string> words = words_of(heading);
  for (const KeyWords& one : key_words())
    if (has_any(words, one.words) && (one.beside.empty() || has_any(words, one.beside))) return one.key;
  return {};
}

}  // namespace

std::span<const ProfileKey> column_keys() { return keys; }

const ProfileKey* profile_key(std::string_view name) {
  const auto key = std::ranges::find(keys, name, &ProfileKey::name);
  return key == keys.end() ? nullptr : &*key;
}

bool has_unit(const ProfileKey& key, const std::string& text) { return key.measure && is_unit(*key.measure, text); }

TableColumn split_heading(const std::string& heading, const ProfileKey& key) {
  if (!key.measure) return {heading, {}};
  std::size_t open = heading.find_last_of("([");
  const bool closed = open != heading.npos && (heading.back() == ')' || heading.back() == ']');
  if (!closed) open = heading.rfind('_');
  if (open == heading.npos) return {heading, {}};
  std::string unit = heading.substr(open + 1, heading.size() - open - (closed ? 2 : 1));
  if (unit == "bytes") unit = "B";
  if (!has_unit(key, unit)) return {heading, {}};
  std::string stem = heading.substr(0, open);
  stem.erase(stem.find_last_not_of(' ') + 1);
  return {stem, unit};
}

std::vector<std::size_t> columns_of(const std::vector<std::string>& headings, const ProfileKey& key) {
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < headings.size(); ++at)
    if (lower(headings[at]) == key.name ||
        (key.measure && lower(split_heading(headings[at], key).heading) == stem_of(key.name)))
      found.push_back(at);
  return found;
}

std::optional<std::size_t> column_of(const std::vector<std::string>& headings, const ProfileKey& key) {
  const std::vector<std::size_t> found = columns_of(headings, key);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

ProfileColumns infer_profile_columns(const std::vector<std::string>& headings) {
  ProfileColumns guessed;
  std::vector<bool> taken(headings.size());
  const auto take = [&](const ProfileKey& key, std::size_t at) {
    guessed[std::string(key.name)] = {headings[at], split_heading(headings[at], key).unit, at};
    taken[at] = true;
  };
  for (const ProfileKey& key : keys)
    if (const auto at = column_of(headings, key); at && !taken[*at]) take(key, *at);
  for (std::size_t at = 0; at < headings.size(); ++at) {
    if (taken[at]) continue;
    const ProfileKey* key = profile_key(key_by_words(headings[at]));
    if (key && !guessed.contains(std::string(key->name))) take(*key, at);
  }
  return guessed;
}

}  // namespace pipedeck::io::profiles
