// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/runs/backend_offer.hpp"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

namespace pipedeck::session::runs {

int GpusHere::count() const {
  int all = 0;
  for (const Kind& kind : kinds) all += kind.count;
  return all;
}

QString GpusHere::text() const {
  QStringList parts;
  for (const Kind& kind : kinds) parts << QStringLiteral("%1 × %2").arg(kind.count).arg(kind.name);
  return parts.join(QStringLiteral(", "));
}

void BackendOffer::ask(const QString& program) {
  if (asked_) return;
  asked_ = true;
  process_.start(program, {QStringLiteral("list"), QStringLiteral("devices"), QStringLiteral("--json")});
}

void BackendOffer::take_line(const QByteArray& line) { answer_ += line + '\n'; }

void BackendOffer::take_end(const work::ProcessEnd& end) {
  const QString why_silent = end.started ? work::without_program(end.messages) : end.messages;
  for (const QJsonValue& item : QJsonDocument::fromJson(answer_).array()) {
    const QJsonObject backend = item.toObject();
    const QString name = backend.value(QLatin1String("backend")).toString();
    if (name == QLatin1String("mpi")) mpi_ = backend;
    if (name == QLatin1String("cuda")) cuda_ = backend;
  }
  answer_processes(why_silent);
  answer_gpus(why_silent);
}

void BackendOffer::answer_processes(const QString& why_silent) {
  if (QStandardPaths::findExecutable(QStringLiteral("mpirun")).isEmpty())
    emit processes_answered(tr("mpirun was not found. Install Open MPI (openmpi-bin) to train in several processes."));
  else if (mpi_.isEmpty())
    emit processes_answered(tr("MPI could not be detected: %1").arg(why_silent));
  else
    emit processes_answered(mpi_.value(QLatin1String("why_not")).toString());
}

void BackendOffer::answer_gpus(const QString& why_silent) {
  GpusHere gpus;
  for (const QJsonValue& value : cuda_.value(QLatin1String("gpus")).toArray()) {
    const QJsonObject kind = value.toObject();
    gpus.kinds.push_back({kind.value(QLatin1String("count")).toInt(), kind.value(QLatin1String("name")).toString()});
  }
  gpus.why_not = cuda_.isEmpty() ? tr("GPUs could not be detected: %1").arg(why_silent)
                                 : cuda_.value(QLatin1String("why_not")).toString();
  emit gpus_answered(gpus);
}

}  // namespace pipedeck::session::runs
