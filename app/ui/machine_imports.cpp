// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/machine_imports.hpp"

#include <QCoreApplication>
#include <memory>

#include <QWidget>

#include "app/session/child_process.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::app {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::MachineImports)
};

void take(Session& session, std::optional<Cluster> cluster) {
  if (!cluster) return;
  const QString name = QString::fromStdString(cluster->name);
  session.change(Text::tr("Import %1").arg(name), with_imported_cluster(session.state(), *std::move(cluster)));
  emit session.notice(Text::tr("Imported cluster %1").arg(name));
}

void add(QWidget& window, Session& session, const Dialogs& dialogs, const MachinePreview& preview) {
  std::optional<Cluster> cluster;
  if (dialogs.machines) {
    cluster = dialogs.machines(&window, preview);
  } else if (auto made = preview.make({}); made) {
    cluster = std::move(made->cluster);
  } else {
    emit session.error(Text::tr("Import"), in_qt(made.error()));
  }
  take(session, std::move(cluster));
}

}  // namespace

void import_machines(QWidget& window, Session& session, const Dialogs& dialogs, const QStringList& files) {
  auto machines = machines_in(files);
  if (!machines) return emit session.error(Text::tr("Import"), in_qt(machines.error()));
  add(window, session, dialogs, preview_of(*std::move(machines)));
}

void import_this_machine(QWidget& window, Session& session, const Dialogs& dialogs, const QString& runner) {
  const QString busy = QStringLiteral("machine_import_process");
  if (window.findChild<ChildProcess*>(busy)) return;
  auto* process = new ChildProcess(&window);
  process->setObjectName(busy);
  auto json = std::make_shared<QByteArray>();
  auto notes = std::make_shared<QStringList>();
  QObject::connect(process, &ChildProcess::output_line, &window,
                   [json](const QByteArray& line) { *json += line + '\n'; });
  QObject::connect(process, &ChildProcess::message_line, &window,
                   [notes](const QString& line) { *notes << without_program(line); });
  const QString title = Text::tr("Import this machine");
  const int job = session.jobs().start_external(title, [process] { process->stop(); });
  QObject::connect(process, &ChildProcess::ended, &window,
                   [&window, &session, dialogs, process, json, notes, title, job](const ProcessEnd& end) {
                     process->setObjectName(QString());
                     process->deleteLater();
                     const bool failed = !end.started || end.crashed || end.exit_status != 0;
                     session.jobs().end_external(job,
                                                 end.stopped ? JobState::cancelled
                                                 : failed    ? JobState::failed
                                                             : JobState::finished,
                                                 {});
                     if (end.stopped) return;
                     if (failed)
                       return emit session.error(
                           title,
                           Text::tr("This machine could not be looked at: %1").arg(without_program(end.messages)));
                     const auto preview = preview_of_this_machine(*json, *notes);
                     if (!preview) return emit session.error(title, in_qt(preview.error()));
                     add(window, session, dialogs, *preview);
                   });
  process->start(
      runner, {QStringLiteral("convert"), QStringLiteral("--this-machine"), QStringLiteral("-o"), QStringLiteral("-")});
}

void import_cloud_machines(QWidget& window, Session& session, const Dialogs& dialogs) {
  if (dialogs.cloud) take(session, dialogs.cloud(&window));
}

}  // namespace pipedeck::app
