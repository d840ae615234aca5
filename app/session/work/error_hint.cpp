// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/work/error_hint.hpp"

#include <QCoreApplication>

#include "app/text/in_qt.hpp"

namespace pipedeck::session::work {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(NextStep)
};

QString step_of_input(const Error& error) {
  if (error.file.empty()) return {};
  if (error.file.ends_with(".pipedeck"))
    return Text::tr("The file is unchanged. Open an earlier copy of it, if you have one.");
  if (error.place.empty())
    return Text::tr("Choose another file. The user guide (Help menu) lists the supported formats.");
  return Text::tr("Fix the file at this location and reopen it. “pipedeck-cli validate” lists all problems.");
}

}  // namespace

QString error_hint(const Error& error) {
  switch (error.code) {
    case ErrorCode::bad_input:
      return step_of_input(error);
    case ErrorCode::io:
      return Text::tr(
          "Check that the file exists, that you have permission, and that the disk is not full. Or choose another "
          "place.");
    case ErrorCode::infeasible:
      return Text::tr("Try more devices, a smaller micro-batch or planners that recompute layers.");
    case ErrorCode::internal:
      return Text::tr(
          "This is a bug of Pipedeck, not a fault of your input. Please report it. Your work is unchanged.");
    case ErrorCode::bad_usage:
    case ErrorCode::run_failed:
    case ErrorCode::cancelled:
      break;
  }
  return {};
}

QString text_with_next_step(const Error& error) {
  const QString step = error_hint(error);
  return step.isEmpty() ? text::to_qstring(error) : text::to_qstring(error) + QLatin1Char('\n') + step;
}

}  // namespace pipedeck::session::work
