// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/profile_extra.hpp"

#include <algorithm>
#include <utility>

#include "core/io/json/writer.hpp"

namespace pipedeck::io::documents {
namespace {

using json::Members;

Members members_of(const Profile& profile) {
  const auto extra = json::parse(profile.extra);
  const Members* members = extra ? extra->as<Members>() : nullptr;
  return members ? *members : Members();
}

}  // namespace

json::Value extra_member(const Profile& profile, std::string_view key) {
  Members members = members_of(profile);
  const auto found = std::ranges::find(members, key, &Members::value_type::first);
  return found == members.end() ? json::Value() : std::move(found->second);
}

Profile with_extra_member(Profile profile, std::string_view key, json::Value value) {
  Members members = members_of(profile);
  std::erase_if(members, [&](const auto& member) { return member.first == key; });
  members.emplace_back(std::string(key), std::move(value));
  profile.extra = json::compact(json::Value(std::move(members)));
  return profile;
}

}  // namespace pipedeck::io::documents
