// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations of the judge as rows of a bar table: the waterfall between two plans, and what would shorten one.
#pragma once

#include <vector>

#include <QString>

#include "core/domain/explanation.hpp"

namespace pipedeck::app {

enum class BarMeaning { total, better, worse };

/// One row: a bar from `from` to `to` (seconds; both 0: none), and what it says in words.
struct BarRow {
  QString label;
  double from = 0, to = 0;
  QString text;  ///< "-3.2 ms"
  QString tool_tip;
  BarMeaning meaning = BarMeaning::total;
  bool heading = false;             ///< a line between groups
  double mark = 0, faint_mark = 0;  ///< seconds: lines across the bar; 0: none
  bool operator==(const BarRow&) const = default;
};

/// From the first plan's iteration by its changed parts to the second's; the bars add up exactly.
std::vector<BarRow> waterfall_rows(const Waterfall& waterfall, const QString& from, const QString& to);

/// By links, devices, memory; the largest gain first in each; those that gain the same are one row. "+10 % of link
/// n0-tor: -3.2 ms (-0.4 %)" as tool tips.
std::vector<BarRow> sensitivity_rows(const Sensitivity& sensitivity);

QString part_text(TimePart part);  ///< "pipeline bubble"

/// With tabs between columns, for other programs.
QString copied_text(const std::vector<BarRow>& rows);

}  // namespace pipedeck::app
