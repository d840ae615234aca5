// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/launch_check.hpp"

#include <utility>

#include "app/language/core_text.hpp"
#include "core/io/files.hpp"
#include "core/io/json_formats.hpp"

namespace pipedeck::app {

LaunchCheck::LaunchCheck(QObject* parent) : QObject(parent) {}

void LaunchCheck::forget() {
  if (ChildProcess* old = std::exchange(process_, nullptr)) {
    old->disconnect(this);
    old->deleteLater();
  }
  said_.clear();
}

void LaunchCheck::ask(const QString& program, const Plan& plan, const ModelSpec& model, const RunSettings& settings) {
  forget();
  const RunFiles files{directory_.filePath("plan.json"), directory_.filePath("model.json"), {}, {}};
  for (const auto& [path, text] : {std::pair(files.plan, plan_to_json(plan)),
                                   std::pair(files.model, model_to_json(with_settings(model, settings)))}) {
    if (const auto written = write_file(path.toStdString(), text); !written) {
      emit answered(core_text(written.error()), {});
      return;
    }
  }
  process_ = new ChildProcess(this);
  connect(process_, &ChildProcess::output_line, this,
          [this](const QByteArray& line) { said_ = QString::fromUtf8(line); });
  connect(process_, &ChildProcess::ended, this, &LaunchCheck::take);
  process_->start(program, check_arguments(files, settings));
}

void LaunchCheck::take(const ProcessEnd& end) {
  const QString said = said_;
  forget();
  if (end.started && !end.crashed && end.exit_status == 0) {
    emit answered({}, said);
    return;
  }
  // The files of the question are not those of the person who asks.
  QString problem = end.messages.section(QLatin1Char('\n'), -1);
  problem.remove(directory_.path() + QLatin1Char('/'));
  problem = without_program(problem);
  emit answered(
      problem.isEmpty() ? tr("the check ended with status %1").arg(end.exit_status) : core_text(problem.toStdString()),
      {});
}

}  // namespace pipedeck::app
