// SPDX-License-Identifier: Apache-2.0
// Profiles from tables: a heading, a row a layer, columns by the names that profiles have for them (formats.md,
// "Profile") or as somebody chooses. What measures layers usually writes such tables.
#pragma once

#include <map>
#include <string>

#include "core/domain/profile.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

/// A column of the table, and the unit of its figures where neither they nor the heading have one.
struct TableColumn {
  std::string heading, unit;
  bool operator==(const TableColumn&) const = default;
};
/// By key of a profile's layer: "forward_ms".
using ProfileColumns = std::map<std::string, TableColumn>;

/// "name=Layer,forward_ms=Fwd:us,...": the rest is looked for by its key. Unknown keys are bad_usage and list the known
/// ones.
Result<ProfileColumns> profile_columns(const std::string& text);

/// Whether the heading of a table has the names of layers and of their forward times.
bool looks_like_profile_csv(const std::string& text);

/// `name` is the profile's. Figures have the unit that stands with them ("3.5 us"), else that of `columns`, else that
/// behind the heading ("Fwd (us)", "fwd_us"), else that of the key. Missing columns, figures that are none, negative or
/// not finite, and doubled names are bad_input with line and column.
Result<Profile> profile_from_csv(const std::string& text, const std::string& name, int micro_batch,
                                 const ProfileColumns& columns = {});

}  // namespace pipedeck
