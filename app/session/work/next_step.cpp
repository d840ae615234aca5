// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/work/next_step.hpp"

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
    return Text::tr("The file was left as it is: open a copy of it made earlier, if there is one.");
  if (error.place.empty())
    return Text::tr("Choose another file: the user guide, under Help, tells which kinds can be opened.");
  return Text::tr(
      "Mend the file there and open it again; “pipedeck-cli validate” tells everything that is wrong in it.");
}

}  // namespace

QString next_step(const Error& error) {
  switch (error.code) {
    case ErrorCode::bad_input:
      return step_of_input(error);
    case ErrorCode::io:
      return Text::tr(
          "See whether the file is there and may be read and written and its disk has room, or choose "
          "another place, then try again.");
    case ErrorCode::infeasible:
      return Text::tr("Try more devices, a smaller micro-batch or planners that recompute layers.");
    case ErrorCode::internal:
      return Text::tr("This is a fault of the program, not of your input: please report it. Your work is unchanged.");
    case ErrorCode::bad_usage:
    case ErrorCode::run_failed:
    case ErrorCode::cancelled:
      break;
  }
  return {};
}

QString text_with_next_step(const Error& error) {
  const QString step = next_step(error);
  return step.isEmpty() ? text::in_qt(error) : text::in_qt(error) + QLatin1Char('\n') + step;
}

}  // namespace pipedeck::session::work
