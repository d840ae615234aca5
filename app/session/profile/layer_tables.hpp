// SPDX-License-Identifier: GPL-3.0-or-later
// Import of layer tables into the project. The meaning of each column is shown first and can be changed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/io/csv/reader.hpp"
#include "core/io/profiles/csv.hpp"

namespace pipedeck::session::profile {

/// Detects a table by its first bytes, or if these are ambiguous by its name: .csv and .tsv.
bool is_layer_table(const QString& path);

/// A meaning of a column.
struct ColumnMeaning {
  int key = -1;      ///< index in column_keys(); -1: ignored
  std::string unit;  ///< of figures without a unit; empty: that of the heading, or else of the key
  bool operator==(const ColumnMeaning&) const = default;
};

/// A remark about a reading.
struct TableFinding {
  enum Kind { wrong, assumed, understood };
  Kind kind = understood;
  QString text;
  int line = 0;                         ///< in the file; 0: the whole file
  std::optional<std::size_t> column{};  ///< from 0
};

struct TableReading {
  std::optional<Profile> profile;      ///< absent: there are errors
  std::vector<TableFinding> findings;  ///< errors first
};

/// A table to be imported as a profile; it is read again for each choice.
struct TablePreview {
  QString name;  ///< of the file, without extension
  QString separator;
  std::optional<int> micro_batch;                            ///< if the file's name contains it
  std::shared_ptr<const std::vector<io::csv::CsvRow>> rows;  ///< including the heading
  std::vector<ColumnMeaning> guessed;                        ///< one per column

  const std::vector<std::string>& headings() const { return rows->front().fields; }
  TableReading read(const std::vector<ColumnMeaning>& columns, const QString& profile_name, int samples) const;
};
/// Returns the table's preview. Errors name the file, and the line if there is one.
Result<TablePreview> layer_table_in(const QString& file);

/// Returns names such as "Forward time", in the order of column_keys().
QStringList column_meanings();
/// Returns the selectable units of this key; empty for texts.
QStringList column_units(int key);
/// Returns the default unit of figures.
QString usual_unit(int key);

}  // namespace pipedeck::session::profile
