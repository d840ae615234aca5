// SPDX-License-Identifier: GPL-3.0-or-later
// The plans of the question as a report: HTML, or Markdown with separate pictures.
#pragma once

#include <functional>

#include <QString>

#include "app/session/session.hpp"

namespace pipedeck::session {

/// Returns why a report cannot be made; empty if it can.
QString no_report_reason(const Session& session);

struct ReportRequest {
  QString file;     ///< Markdown if it ends with .md, else HTML
  QString program;  ///< "pipedeck 0.1.0", the name in the report
  QDate date;
};

/// Writes the report in the background: ticked plans in detail, all plans in the comparison. Returns the job's id.
/// `done` receives the failure, empty on success. It is not called if the job is cancelled.
int export_report(Session& session, const ReportRequest& order,
                  const std::function<void(const QString& failure)>& done);

}  // namespace pipedeck::session
