// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of layers on their way into the project: what each column is taken for is shown first, and chosen.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/io/csv_reader.hpp"
#include "core/io/profile_csv.hpp"

namespace pipedeck::app {

/// Told by its first bytes, and where these leave it open by its name: .csv and .tsv.
bool is_layer_table(const QString& path);

/// What a column is taken for.
struct ColumnMeaning {
  int key = -1;      ///< of profile_keys(); -1: it is left alone
  std::string unit;  ///< of figures without one; empty: as the heading says, else the key's
  bool operator==(const ColumnMeaning&) const = default;
};

/// What is said of a reading.
struct TableFinding {
  enum Kind { wrong, assumed, understood };
  Kind kind = understood;
  QString text;
  int line = 0;                         ///< of the file; 0: of all of it
  std::optional<std::size_t> column{};  ///< from 0
};

struct TableReading {
  std::optional<Profile> profile;      ///< absent: something is wrong
  std::vector<TableFinding> findings;  ///< what is wrong first
};

/// A table about to become a profile: read anew for each choice.
struct TablePreview {
  QString name;  ///< of the file, without its ending
  QString separator;
  std::optional<int> micro_batch;                   ///< where the file's name says it
  std::shared_ptr<const std::vector<CsvRow>> rows;  ///< with the heading
  std::vector<ColumnMeaning> guessed;               ///< a column each

  const std::vector<std::string>& headings() const { return rows->front().fields; }
  TableReading read(const std::vector<ColumnMeaning>& columns, const QString& profile_name, int samples) const;
};
/// Errors name the file, and the line where there is one.
Result<TablePreview> layer_table_in(const QString& file);

/// "Forward time", in the order of profile_keys().
QStringList column_meanings();
/// To choose from, for this key; empty for texts.
QStringList column_units(int key);
/// Of figures, where nothing says another.
QString usual_unit(int key);

}  // namespace pipedeck::app
