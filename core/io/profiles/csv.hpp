// SPDX-License-Identifier: Apache-2.0
// Profiles from tables: a heading, one row per layer, columns by the names that profiles have for them (formats.md,
// "Profile") or by choice. Programs that measure layers usually write such tables.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/import_share.hpp"
#include "core/base/quantity_text.hpp"
#include "core/base/result.hpp"
#include "core/io/csv/reader.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::io::profiles {

/// The possible contents of a column.
struct ProfileKey {
  std::string_view name;                ///< of a profile's layer: "forward_ms"
  std::optional<QuantityKind> measure;  ///< absent: a text
  std::string_view unit;                ///< of values without another unit
  bool needed = false;
};
std::span<const ProfileKey> column_keys();

/// A column of the table, and the unit of its figures where neither they nor the heading have one.
struct TableColumn {
  std::string heading, unit;
  std::optional<std::size_t> position{};  ///< from 0, where headings may be doubled; else the first with the heading
  bool operator==(const TableColumn&) const = default;
};
/// By key of a profile's layer: "forward_ms".
using ProfileColumns = std::map<std::string, TableColumn>;

/// "name=Layer,forward_ms=Fwd:us,...": the rest is looked for by its key. Unknown keys are bad_usage and list the known
/// ones.
Result<ProfileColumns> profile_columns(const std::string& text);

/// Returns the most likely meaning of the headings: by key if they are one, else by the words of measuring programs
/// ("fwd time", "Params (MB)", "activations"), each by its position and with its unit.
ProfileColumns infer_profile_columns(const std::vector<std::string>& headings);

/// Returns true if the heading of a table has the names of layers and of their forward times.
bool looks_like_profile_csv(const std::string& text);

/// Returns the headings of a possible table of layers whose headings are its own: three or more, as text.
std::optional<std::string> unrecognised_headings(const std::string& text);

struct TableProblem {
  std::string message;
  int line = 0;                       ///< of the file
  std::optional<std::size_t> column;  ///< from 0; absent: the row, or the table
  Error error() const;                ///< bad_input with line and column
};

/// The content of a table, column by column.
struct ParsedTable {
  std::vector<Layer> layers;              ///< as many as there are rows; empty where columns are missing
  ProfileColumns columns;                 ///< that were read, with position and the unit that figures without one have
  std::vector<std::string> unit_assumed;  ///< keys without a unit in a choice or in the heading
  std::vector<TableProblem> problems;     ///< the first few hundred, ascending by line
};
/// `rows` with the heading, at least one. Without `search` only the given columns are read.
ParsedTable read_layer_rows(const std::vector<csv::CsvRow>& rows, const ProfileColumns& columns, bool search = true);
/// Most rows and fields of a table of layers.
extern const csv::Limits layer_table_limits;

/// Returns the share of a table's columns that were read, and the values of layers that it does not have.
ImportShare share_of(const ParsedTable& table, const std::vector<std::string>& headings);

/// A valid profile, or what is wrong with it.
Result<Profile> profile_of_table(ParsedTable table, const std::string& name, int micro_batch);

/// `name` is the profile's. Figures have the unit that stands with them ("3.5 us"), else that of `columns`, else that
/// behind the heading ("Fwd (us)", "fwd_us"), else that of the key. Missing columns, figures that are none, negative or
/// not finite, and doubled names are bad_input with line and column. `share` receives share_of(table).
Result<Profile> profile_from_csv(const std::string& text, const std::string& name, int micro_batch,
                                 const ProfileColumns& columns = {}, ImportShare* share = nullptr);

}  // namespace pipedeck::io::profiles
