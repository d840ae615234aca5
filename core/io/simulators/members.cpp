// SPDX-License-Identifier: Apache-2.0
#include "core/io/simulators/members.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "core/io/text/printable.hpp"

namespace pipedeck::io::simulators {
namespace {

using Each = std::function<void(const std::string& place)>;

/// Calls `each` for every value, with its place: "networks/0/latency".
void for_values(const json::Value& value, const std::string& place, const Each& each) {
  const auto step = [&](const std::string& name) { return place.empty() ? name : place + "/" + name; };
  if (const auto* members = value.as<json::Members>()) {
    for (const auto& [key, member] : *members) for_values(member, step(text::printable(key)), each);
    return;
  }
  const auto* list = value.as<json::List>();
  const bool objects =
      list && std::ranges::any_of(*list, [](const json::Value& one) { return one.as<json::Members>() != nullptr; });
  if (!objects) return each(place);
  for (std::size_t i = 0; i < list->size(); ++i)
    if (!(*list)[i].is_null()) for_values((*list)[i], step(std::to_string(i)), each);
}

}  // namespace

ImportShare share_of(const json::Value& document, json::ObjectReader& in) {
  ImportShare share{.unit = "value"};
  int all = 0;
  for_values(document, {}, [&](const std::string&) { ++all; });
  if (const auto unread = json::parse(in.preserve_unknown_members()))
    for_values(*unread, {}, [&](const std::string& place) { share.leave_out(place); });
  share.understood = std::max(0, all - share.parts());
  return share;
}

}  // namespace pipedeck::io::simulators
