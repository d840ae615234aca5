// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/machine_imports.hpp"

#include <QCoreApplication>
#include <memory>

#include <QWidget>

#include "app/session/work/child_process.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::ui::actions {

namespace {

struct MachineText {
  Q_DECLARE_TR_FUNCTIONS(MachineImports)
};

void take(session::Session& session, std::optional<Cluster> cluster) {
  if (!cluster) return;
  const QString name = QString::fromStdString(cluster->name);
  session.change(MachineText::tr("Import %1").arg(name),
                 session::cluster::with_imported_cluster(session.state(), *std::move(cluster)));
  emit session.notice(MachineText::tr("Imported cluster %1").arg(name));
}

void add(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs,
         const session::cluster::MachinePreview& preview) {
  std::optional<Cluster> cluster;
  if (dialogs.machines) {
    cluster = dialogs.machines(&window, preview);
  } else if (auto made = preview.make({}); made) {
    cluster = std::move(made->cluster);
  } else {
    emit session.error(MachineText::tr("Import"), text::to_qstring(made.error()));
  }
  take(session, std::move(cluster));
}

}  // namespace

void import_machines(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs,
                     const QStringList& files) {
  auto machines = session::cluster::machines_in(files);
  if (!machines) return emit session.error(MachineText::tr("Import"), text::to_qstring(machines.error()));
  add(window, session, dialogs, session::cluster::preview_of(*std::move(machines)));
}

void import_this_machine(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs,
                         const QString& runner) {
  const QString busy = QStringLiteral("machine_import_process");
  if (window.findChild<session::work::ChildProcess*>(busy)) return;
  auto* process = new session::work::ChildProcess(&window);
  process->setObjectName(busy);
  auto json = std::make_shared<QByteArray>();
  auto notes = std::make_shared<QStringList>();
  QObject::connect(process, &session::work::ChildProcess::output_line, &window,
                   [json](const QByteArray& line) { *json += line + '\n'; });
  QObject::connect(process, &session::work::ChildProcess::message_line, &window,
                   [notes](const QString& line) { *notes << session::work::without_program(line); });
  const QString title = MachineText::tr("Import this machine");
  const int job = session.jobs().start_external(title, [process] { process->stop(); });
  QObject::connect(
      process, &session::work::ChildProcess::ended, &window,
      [&window, &session, dialogs, process, json, notes, title, job](const session::work::ProcessEnd& end) {
        process->setObjectName(QString());
        process->deleteLater();
        const bool failed = !end.started || end.crashed || end.exit_status != 0;
        session.jobs().end_external(job,
                                    end.stopped ? session::work::JobState::cancelled
                                    : failed    ? session::work::JobState::failed
                                                : session::work::JobState::finished,
                                    {});
        if (end.stopped) return;
        if (failed)
          return emit session.error(title, MachineText::tr("This machine could not be examined: %1")
                                               .arg(session::work::without_program(end.messages)));
        const auto preview = session::cluster::preview_of_this_machine(*json, *notes);
        if (!preview) return emit session.error(title, text::to_qstring(preview.error()));
        add(window, session, dialogs, *preview);
      });
  process->start(
      runner, {QStringLiteral("convert"), QStringLiteral("--this-machine"), QStringLiteral("-o"), QStringLiteral("-")});
}

void import_cloud_machines(QWidget& window, session::Session& session, const dialogs::Dialogs& dialogs) {
  if (dialogs.cloud) take(session, dialogs.cloud(&window));
}

}  // namespace pipedeck::ui::actions
