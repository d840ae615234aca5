// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/trace_export.hpp"

#include <QCoreApplication>

#include "app/text/in_qt.hpp"
#include "core/io/files.hpp"
#include "core/io/traces/trace.hpp"

namespace pipedeck::session {

namespace {

struct TraceExportText {
  Q_DECLARE_TR_FUNCTIONS(TraceExport)
};

}  // namespace

QString export_trace(Session& session, int plan, const QString& path) {
  const project::PlanEntry* entry = project::find_plan(session.state(), plan);
  if (!entry || !entry->feasible()) return TraceExportText::tr("No plan is selected. Select one in the table.");
  const auto plan_result = session.plan_result(*entry);
  if (!plan_result) return TraceExportText::tr("The plan is not simulated yet. Try again when its chart appears.");
  const auto written = io::write_file(
      path.toStdString(), io::traces::chrome_trace(*plan_result->simulation, entry->plan->name, entry->plan.get()));
  return written ? QString() : text::to_qstring(written.error());
}

}  // namespace pipedeck::session
