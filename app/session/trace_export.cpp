// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/trace_export.hpp"

#include <QCoreApplication>

#include "app/text/in_qt.hpp"
#include "core/io/files.hpp"
#include "core/io/trace.hpp"

namespace pipedeck::app {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::TraceExport)
};

}  // namespace

QString export_trace(Session& session, int plan, const QString& path) {
  const PlanEntry* entry = find_plan(session.state(), plan);
  if (!entry || !entry->feasible()) return Text::tr("There is no plan to export: select one in the table.");
  const auto verdict = session.verdict(*entry);
  if (!verdict) return Text::tr("The plan is not simulated yet. Try again when its chart is there.");
  const auto written =
      write_file(path.toStdString(), chrome_trace(*verdict->simulation, entry->plan->name, entry->plan.get()));
  return written ? QString() : in_qt(written.error());
}

}  // namespace pipedeck::app
