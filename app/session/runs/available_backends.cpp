// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/runs/available_backends.hpp"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

namespace pipedeck::session::runs {

int LocalGpus::count() const {
  int all = 0;
  for (const Kind& kind : kinds) all += kind.count;
  return all;
}

QString LocalGpus::text() const {
  QStringList parts;
  for (const Kind& kind : kinds) parts << QStringLiteral("%1 × %2").arg(kind.count).arg(kind.name);
  return parts.join(QStringLiteral(", "));
}

void AvailableBackends::ask(const QString& program) {
  if (asked_) return;
  asked_ = true;
  process_.start(program, {QStringLiteral("list"), QStringLiteral("devices"), QStringLiteral("--json")});
}

void AvailableBackends::receive_line(const QByteArray& line) { answer_ += line + '\n'; }

void AvailableBackends::receive_end(const work::ProcessEnd& end) {
  const QString unresponsive_reason = end.started ? work::without_program(end.messages) : end.messages;
  for (const QJsonValue& item : QJsonDocument::fromJson(answer_).array()) {
    const QJsonObject backend = item.toObject();
    const QString name = backend.value(QLatin1String("backend")).toString();
    if (name == QLatin1String("mpi")) mpi_ = backend;
    if (name == QLatin1String("cuda")) cuda_ = backend;
  }
  answer_processes(unresponsive_reason);
  answer_gpus(unresponsive_reason);
}

void AvailableBackends::answer_processes(const QString& unresponsive_reason) {
  if (QStandardPaths::findExecutable(QStringLiteral("mpirun")).isEmpty())
    emit processes_answered(tr("mpirun was not found. Install Open MPI (openmpi-bin) to train in several processes."));
  else if (mpi_.isEmpty())
    emit processes_answered(tr("MPI could not be detected: %1").arg(unresponsive_reason));
  else
    emit processes_answered(mpi_.value(QLatin1String("why_not")).toString());
}

void AvailableBackends::answer_gpus(const QString& unresponsive_reason) {
  LocalGpus gpus;
  for (const QJsonValue& value : cuda_.value(QLatin1String("gpus")).toArray()) {
    const QJsonObject kind = value.toObject();
    gpus.kinds.push_back({kind.value(QLatin1String("count")).toInt(), kind.value(QLatin1String("name")).toString()});
  }
  gpus.unavailable_reason = cuda_.isEmpty() ? tr("GPUs could not be detected: %1").arg(unresponsive_reason)
                                            : cuda_.value(QLatin1String("why_not")).toString();
  // An option of the command line; here the processor is the other choice.
  gpus.unavailable_reason.replace(QLatin1String("or run with --backend cpu"), tr("or train on the processor"));
  emit gpus_answered(gpus);
}

}  // namespace pipedeck::session::runs
