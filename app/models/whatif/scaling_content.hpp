// SPDX-License-Identifier: GPL-3.0-or-later
// A strong or weak scaling as it is shown: a row for each size of the cluster, with the parts of its step.
#pragma once

#include <array>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/model/simulation.hpp"

namespace pipedeck::models::whatif {

struct ScalingRow {
  int nodes = 1, devices = 1, global_batch = 1;
  bool planned = false;  ///< otherwise `reason` is why not
  QString plan, iteration;
  double per_second = 0;                         ///< tokens or samples
  double efficiency = 0;                         ///< 1: as the first size; 0: not known yet
  std::array<double, time_part_count> shares{};  ///< of the step
  QString reason;
  QString note;  ///< why the efficiency is above 100 %; empty: it is not
  bool operator==(const ScalingRow&) const = default;
};

struct ScalingContent {
  std::vector<ScalingRow> rows;  ///< ascending by devices
  std::vector<TimePart> parts;   ///< that some step has
  bool counts_tokens = false;    ///< per_second is in tokens; otherwise in samples
  bool operator==(const ScalingContent&) const = default;

  bool has_plan() const;
  /// Returns the throughput of the first size with a plan, times the devices of `row` over its own: what a perfect
  /// scaling has. 0 without a plan.
  double ideal(const ScalingRow& row) const;
};

QString rate_text(const ScalingContent& content);  ///< "tokens/s"
QString short_part_text(TimePart part);            ///< "TP": of a column's title and of a legend
QString efficiency_text(const ScalingRow& row);    ///< "87.4 %"; "–": not known

/// Returns the titles of the table's columns: those of every size, then one for each part.
QStringList scaling_header(const ScalingContent& content);
/// Returns the texts of a row, one for each column; of a size without a plan, its reason in the place of the plan.
QStringList scaling_cells(const ScalingContent& content, const ScalingRow& row);
inline constexpr int scaling_plan_column = 3;

/// Returns the table as text with tabs between columns, for the clipboard.
QString copied_text(const ScalingContent& content);

/// Returns the size's name and its parts, the largest first, one a line.
QStringList scaling_lines(const ScalingContent& content, const ScalingRow& row);

/// A tick of a logarithmic axis of throughputs.
struct RateTick {
  double value = 1;
  QString text;  ///< "200k"
  bool operator==(const RateTick&) const = default;
};
/// Returns ticks at 1, 2 and 5 times powers of ten, or at powers of ten alone where these are enough. They enclose
/// [low, high], which is above 0.
std::vector<RateTick> rate_ticks(double low, double high);

}  // namespace pipedeck::models::whatif
