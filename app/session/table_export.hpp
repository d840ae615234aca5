// SPDX-License-Identifier: GPL-3.0-or-later
// The window's tables as CSV for other programs, and a plan as a batch job.
#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "app/session/session.hpp"
#include "core/io/documents/job_script.hpp"

namespace pipedeck::session {

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
/// Returns the name in `simulate --csv` and `export`: "memory-curve".
QString table_name(Table table);
/// Returns the displayed name: "Memory over time".
QString table_title(Table table);

/// A selection of displayed entries: ids, 0 for none.
struct TableContext {
  int profile = 0;
  int plan = 0;
  int from_plan = 0;  ///< first plan of the waterfall
  int run = 0;
};

struct TableText {
  QString csv;
  QString unavailable_reason;  ///< what to do first; empty: `csv` is or will be available
  bool pending = false;        ///< being computed: try again after a change of the explainer or the simulator
};
TableText table_text(Session& session, Table table, const TableContext& context);

/// Returns the table of a CSV text in Markdown.
QString markdown_of_csv(const QString& csv);

/// Writes the whole file or nothing. Returns the error, empty on success.
QString write_text(const QString& file, const std::string& text);

/// Returns the script of a batch job that trains the plan's model. An error names what is missing.
Result<std::string> job_script_of(const project::State& state, int plan, const io::documents::JobOptions& how);

/// Returns the order of operations on the plan's devices, as `simulate --export-schedule` writes it.
Result<std::string> schedule_csv_of(const project::State& state, int plan);

}  // namespace pipedeck::session
