// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/process_offer.hpp"

#include <QStandardPaths>

#include "app/language/core_text.hpp"

namespace pipedeck::app {

void ProcessOffer::ask(const QString& program) {
  if (asked_) return;
  asked_ = true;
  if (QStandardPaths::findExecutable(QStringLiteral("mpirun")).isEmpty()) {
    emit answered(tr("mpirun is not there: install Open MPI (openmpi-bin) to train in several processes"));
    return;
  }
  process_.start(program, {QStringLiteral("list"), QStringLiteral("devices")});
}

void ProcessOffer::take_line(const QByteArray& line) {
  const QString text = QString::fromUtf8(line);
  if (const QLatin1String lead("mpi: "); text.startsWith(lead)) mpi_ = text.mid(lead.size());
}

void ProcessOffer::take_end(const ProcessEnd& end) {
  if (!end.started || mpi_.isEmpty()) {
    emit answered(tr("it could not be found out whether there is MPI: %1").arg(without_program(end.messages)));
    return;
  }
  const QLatin1String none("none; ");
  emit answered(mpi_.startsWith(none) ? core_text(mpi_.mid(none.size()).toStdString()) : QString());
}

}  // namespace pipedeck::app
