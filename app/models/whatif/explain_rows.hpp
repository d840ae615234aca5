// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations of a simulation as rows of a bar table: the waterfall between two plans, and changes that would shorten
// an iteration.
#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "core/model/explanation.hpp"

namespace pipedeck::models::whatif {

enum class BarMeaning { total, better, worse };

/// A row with a bar from `from` to `to` (seconds; both 0: no bar) and its texts.
struct BarRow {
  QString label;
  double from = 0, to = 0;
  QString text;  ///< "-3.2 ms"
  QString tool_tip;
  BarMeaning meaning = BarMeaning::total;
  bool heading = false;             ///< a heading between groups
  double mark = 0, faint_mark = 0;  ///< seconds: vertical lines across the bar; 0: none
  QString more{}, more_tip{};       ///< text of a fourth column, and its tool tip
  std::optional<TimePart> part{};   ///< the part of an iteration whose colour the bar has
  bool operator==(const BarRow&) const = default;
};

/// Returns rows from the first plan's iteration time, over the parts that changed, to the second's. The bars add up
/// exactly.
std::vector<BarRow> waterfall_rows(const Waterfall& waterfall, const QString& from, const QString& to);

/// A change of a part of an iteration, in seconds.
struct PartChange {
  QString name;
  double seconds = 0;
};
/// Returns rows from a measured time over changes to a predicted one, in seconds of one device for each token. Tool
/// tips name the run and the plan.
std::vector<BarRow> token_rows(const QString& from, double measured, const std::vector<PartChange>& changes,
                               const QString& to);

/// Returns the levers, the largest gain first, then single links, devices and memories that change something. Entries
/// with the same gain share a row. Tool tips read "+10 % of link n0-tor: -3.2 ms (-0.4 %)".
std::vector<BarRow> sensitivity_rows(const Sensitivity& sensitivity);

QString part_text(TimePart part);  ///< "pipeline bubble"

/// Returns the rows as text with tabs between columns, for the clipboard.
QString copied_text(const std::vector<BarRow>& rows);

}  // namespace pipedeck::models::whatif
