// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/runs/backend_offer.hpp"

#include <QRegularExpression>
#include <QStandardPaths>

#include "app/text/in_qt.hpp"

namespace pipedeck::session::runs {

namespace {

/// Stores the text after `lead` in `rest`.
bool follows(const QString& line, const char* lead, QString& rest) {
  if (!line.startsWith(QLatin1String(lead))) return false;
  rest = line.mid(static_cast<qsizetype>(qstrlen(lead)));
  return true;
}

/// Returns the useful part for a user of "cuda: no GPUs; cudaGetDeviceCount: no device (error 100): look at
/// nvidia-smi".
QString reason_in(const QString& line) {
  static const QRegularExpression call(QStringLiteral("^.*\\(\\w+ \\d+\\): "));
  return line.section(QLatin1String("; "), 1).remove(call);
}

/// Parses "1 of NVIDIA A100, 40.0 GiB and 2 of NVIDIA H100, 79.6 GiB; CUDA 13.0, ...".
std::vector<GpusHere::Kind> kinds_in(const QString& words) {
  static const QRegularExpression kind(QStringLiteral("(?:^| and )(\\d+) of (.+?), [\\d.]+ GiB(?= and \\d+ of |;|$)"));
  std::vector<GpusHere::Kind> kinds;
  for (auto found = kind.globalMatch(words); found.hasNext();) {
    const auto match = found.next();
    kinds.push_back({match.captured(1).toInt(), match.captured(2)});
  }
  return kinds;
}

}  // namespace

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
  process_.start(program, {QStringLiteral("list"), QStringLiteral("devices")});
}

/// Collects the lines about GPUs. The module's reason is the most precise one, since it has used the driver. Without
/// the module, a missing driver comes first.
void BackendOffer::take_line(const QByteArray& line) {
  const QString text = QString::fromUtf8(line).trimmed();
  QString rest;
  if (follows(text, "mpi: ", rest)) mpi_ = rest;
  if (follows(text, "cuda: runs on ", rest)) gpus_.kinds = kinds_in(rest);  // not shown
  if (follows(text, "cuda: no GPUs; ", rest)) no_gpus_ = text;
  if (follows(text, "cuda: none; ", rest)) no_driver_ = text;
  if (follows(text, "cuda: no runs; ", rest)) no_module_ = text;
}

void BackendOffer::take_end(const work::ProcessEnd& end) {
  const QString why = end.started ? work::without_program(end.messages) : end.messages;
  answer_processes(why);
  answer_gpus(why);
}

void BackendOffer::answer_processes(const QString& why_silent) {
  const QLatin1String none("none; ");
  if (QStandardPaths::findExecutable(QStringLiteral("mpirun")).isEmpty())
    emit processes_answered(tr("mpirun is not there: install Open MPI (openmpi-bin) to train in several processes"));
  else if (mpi_.isEmpty())
    emit processes_answered(tr("it could not be found out whether there is MPI: %1").arg(why_silent));
  else
    emit processes_answered(mpi_.startsWith(none) ? text::in_qt(mpi_.mid(none.size()).toStdString()) : QString());
}

QString BackendOffer::why_no_gpus(const QString& why_silent) const {
  if (!gpus_.kinds.empty()) return {};
  const QString line = !no_gpus_.isEmpty() ? no_gpus_ : !no_driver_.isEmpty() ? no_driver_ : no_module_;
  if (line.isEmpty()) return tr("it could not be found out whether there are GPUs: %1").arg(why_silent);
  const QString why = reason_in(line);
  return line == no_module_ ? why : tr("GPUs can't be used: %1").arg(why);
}

void BackendOffer::answer_gpus(const QString& why_silent) {
  gpus_.why_not = why_no_gpus(why_silent);
  emit gpus_answered(gpus_);
}

}  // namespace pipedeck::session::runs
