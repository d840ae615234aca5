// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/runs/launch_validation.hpp"

#include <utility>

#include "app/text/in_qt.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"

namespace pipedeck::session::runs {

namespace {

/// Returns the warnings of a launch that can begin, a line each, as a list shows them.
QStringList warnings_in(const QString& messages) {
  const QLatin1String lead("warning: ");
  QStringList warnings;
  for (const QString& message : messages.split(QLatin1Char('\n')))
    if (const QString line = work::without_program(message); line.startsWith(lead))
      warnings << QStringLiteral("• ") + line.mid(lead.size());
  return warnings;
}

}  // namespace

LaunchValidation::LaunchValidation(QObject* parent) : QObject(parent) {}

void LaunchValidation::forget() {
  if (work::ChildProcess* old = std::exchange(process_, nullptr)) {
    old->disconnect(this);
    old->deleteLater();
  }
  said_.clear();
}

void LaunchValidation::ask(const QString& program, const Plan& plan, const ModelSpec& model,
                           const RunSettings& settings) {
  forget();
  on_gpus_ = settings.backend.gpus;
  const RunFiles files{directory_.filePath("plan.json"), directory_.filePath("model.json"), {}, {}};
  for (const auto& [path, text] :
       {std::pair(files.plan, io::documents::plan_to_json(plan)),
        std::pair(files.model, io::documents::model_to_json(with_settings(model, settings)))}) {
    if (const auto written = io::write_file(path.toStdString(), text); !written) {
      emit answered(text::to_qstring(written.error()), {});
      return;
    }
  }
  process_ = new work::ChildProcess(this);
  connect(process_, &work::ChildProcess::output_line, this,
          [this](const QByteArray& line) { said_ += QString::fromUtf8(line) + QLatin1Char('\n'); });
  connect(process_, &work::ChildProcess::ended, this, &LaunchValidation::take);
  process_->start(program, check_arguments(files, settings));
}

void LaunchValidation::take(const work::ProcessEnd& end) {
  const QString said = said_.trimmed();
  forget();
  if (end.started && !end.crashed && end.exit_status == 0) {
    emit answered({}, (QStringList(said) + warnings_in(end.messages)).join(QLatin1Char('\n')));
    return;
  }
  // The user does not know the temporary files of the check.
  QString problem = end.messages.section(QLatin1Char('\n'), -1);
  problem.remove(directory_.path() + QLatin1Char('/'));
  problem = work::without_program(problem);
  const bool sharing_helps = on_gpus_ && problem.contains(QLatin1String("--oversubscribe"));
  if (sharing_helps) problem = problem.section(QLatin1String("; --oversubscribe"), 0, 0);  // the window has this option
  problem = problem.isEmpty() ? tr("the check ended with status %1").arg(end.exit_status) : problem;
  const QLatin1String option("--backend cuda: ");  // chosen in the window, not typed
  emit answered(problem.startsWith(option) ? problem.mid(option.size()) : problem, {}, sharing_helps);
}

}  // namespace pipedeck::session::runs
