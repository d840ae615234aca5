// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the table of plans: an entry per column with its number, its texts and its difference to the baseline.
#pragma once

#include <optional>

#include <QString>

#include "app/models/compare/plan_row.hpp"

namespace pipedeck::models::compare {

/// A form of a column's difference to the baseline. relative: -8.1 %; points: of a percentage; bytes: +1.2 GiB.
enum class Difference { none, relative, points, bytes };

struct PlanColumn {
  QString title{}, tip{};  ///< of the header
  QString widest{};        ///< a text as wide as the widest usual one
  /// Returns the number by which rows are sorted and compared; nullopt if it is unknown. Null: no figure.
  std::optional<double> (*number)(const PlanRow& row) = nullptr;
  QString (*text)(double number, const PlanRow& row) = nullptr;
  QString (*tip_of)(const PlanRow& row) = nullptr;  ///< tool tip of a row with a simulation; null: none
  Difference difference = Difference::none;
  bool more_is_better = false;
  int hides = 0;  ///< place in the order in which columns hide where room is short; 0: never
};

/// Returns the entry of `column`, a PlanTableModel::Column.
const PlanColumn& plan_column(int column);

/// A difference to the baseline: "-8.1 %", and whether it is an improvement: 1, 0 or -1.
struct DifferenceText {
  QString text;
  int better = 0;
};
/// Returns nullopt if the column has none or a number is unknown.
std::optional<DifferenceText> difference_to(const PlanRow& baseline, const PlanRow& row, int column);

}  // namespace pipedeck::models::compare
