// SPDX-License-Identifier: Apache-2.0
// The meaning of a layer table's headings: for profile_csv, which has the keys and the guesses for others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/profiles/csv.hpp"

namespace pipedeck::io::profiles {

/// Null: there is none of that name.
const ProfileKey* profile_key(std::string_view name);

bool has_unit(const ProfileKey& key, const std::string& text);

/// "Fwd (us)" and "fwd [us]" and "fwd_us": what stands before the unit, and the unit.
TableColumn split_heading(const std::string& heading, const ProfileKey& key);

/// By the key, in capital or small letters, with or without its unit.
std::optional<std::size_t> column_of(const std::vector<std::string>& headings, const ProfileKey& key);
/// All of them, in their order.
std::vector<std::size_t> columns_of(const std::vector<std::string>& headings, const ProfileKey& key);

}  // namespace pipedeck::io::profiles
