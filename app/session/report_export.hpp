// SPDX-License-Identifier: GPL-3.0-or-later
// The plans of the question as a report for the team: HTML, or Markdown with pictures beside it.
#pragma once

#include <functional>

#include <QString>

#include "app/session/session.hpp"

namespace pipedeck::app {

/// Why there can be none; empty: there can.
QString why_no_report(const Session& session);

struct ReportOrder {
  QString file;     ///< Markdown where it ends with .md, else HTML
  QString program;  ///< "pipedeck 0.1.0", as the report names it
  QDate date;
};

/// In the background: the ticked plans in detail, all of them compared. `done` is told what went wrong, nothing if all
/// is well; not called where the job is cancelled. The job's id.
int export_report(Session& session, const ReportOrder& order, const std::function<void(const QString& failure)>& done);

}  // namespace pipedeck::app
