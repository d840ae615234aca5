// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/json_difference.hpp"

#include <algorithm>

namespace pipedeck::cli::text {
namespace {

using Json = nlohmann::ordered_json;

void collect(const Json& a, const Json& b, const Json::json_pointer& place, std::vector<LeafDifference>& out);

void collect_object(const Json& a, const Json& b, const Json::json_pointer& place, std::vector<LeafDifference>& out) {
  const Json nothing;
  for (const auto& [key, value] : a.items()) collect(value, b.contains(key) ? b[key] : nothing, place / key, out);
  for (const auto& [key, value] : b.items())
    if (!a.contains(key)) collect(nothing, value, place / key, out);
}

void collect_array(const Json& a, const Json& b, const Json::json_pointer& place, std::vector<LeafDifference>& out) {
  const Json nothing;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    collect(i < a.size() ? a[i] : nothing, i < b.size() ? b[i] : nothing, place / i, out);
}

void collect(const Json& a, const Json& b, const Json::json_pointer& place, std::vector<LeafDifference>& out) {
  if (a == b) return;
  if (a.is_object() && b.is_object()) return collect_object(a, b, place, out);
  if (a.is_array() && b.is_array()) return collect_array(a, b, place, out);
  out.push_back({place.to_string(), a, b});
}

}  // namespace

std::vector<LeafDifference> differences(const Json& a, const Json& b) {
  std::vector<LeafDifference> out;
  collect(a, b, Json::json_pointer(), out);
  return out;
}

}  // namespace pipedeck::cli::text
