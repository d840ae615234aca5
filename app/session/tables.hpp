// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows as tables, as CSV for other programs; and a plan as a batch job.
#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "app/session/session.hpp"
#include "core/io/job_script.hpp"

namespace pipedeck::app {

enum class Table {
  plans,
  layers,
  stages,
  devices,
  memory,
  memory_curve,
  operations,
  parts,
  waterfall,
  critical_path,
  sensitivity,
  steps,
};
inline constexpr int table_count = 12;
/// As `simulate --csv` and `export` call it: "memory-curve".
QString table_name(Table table);
/// For people: "Memory over time".
QString table_title(Table table);

/// What is looked at: ids, 0 for none.
struct TableContext {
  int profile = 0;
  int plan = 0;
  int from_plan = 0;  ///< where the waterfall begins
  int run = 0;
};

struct TableText {
  QString csv;
  QString why_not;       ///< what to do first; empty: `csv` is there, or will be
  bool pending = false;  ///< being computed: ask again when the explainer or the judge has news
};
TableText table_text(Session& session, Table table, const TableContext& context);

/// Whole or not at all. Empty: done; else what went wrong.
QString write_text(const QString& file, const std::string& text);

/// The script of a batch job that trains the plan's model; an error says what is missing.
Result<std::string> job_script_of(const ProjectState& state, int plan, const JobHow& how);

/// The order in which the plan's devices work, as `simulate --export-schedule` writes it.
Result<std::string> schedule_csv_of(const ProjectState& state, int plan);

}  // namespace pipedeck::app
