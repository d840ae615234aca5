// SPDX-License-Identifier: Apache-2.0
// Members of a profile's file that most readers need not know; Profile::extra keeps them.
#pragma once

#include <string_view>

#include "core/io/json/value.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::io::documents {

inline constexpr std::string_view transformer_key = "transformer";  ///< documents/transformer.hpp
inline constexpr std::string_view weights_key = "weights";          ///< documents/weight_type.hpp

/// Null where the profile has no such member.
json::Value extra_member(const Profile& profile, std::string_view key);

/// In place of what the profile had under `key`.
Profile with_extra_member(Profile profile, std::string_view key, json::Value value);

}  // namespace pipedeck::io::documents
