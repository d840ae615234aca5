// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/runs/checkpoint_list.hpp"

#include <algorithm>
#include <utility>

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocale>
#include <QStringList>

#include "app/text/in_qt.hpp"

namespace pipedeck::session::runs {

namespace {

constexpr int max_listed = 3;

QString devices_text(const QJsonObject& step) {
  const QLocale locale;
  const QString number = locale.toString(step["step"].toInteger());
  if (!step["complete"].toBool())
    return CheckpointList::tr("step %1: incomplete, %2 missing").arg(number, step["missing"].toString());
  return CheckpointList::tr("step %1: %2 with %3, %4")
      .arg(number, step["model"].toString(), step["plan"].toString(),
           locale.formattedDataSize(step["bytes"].toInteger(), 1, QLocale::DataSizeIecFormat));
}

}  // namespace

QString checkpoints_text(const QByteArray& json) {
  const QJsonArray steps = QJsonDocument::fromJson(json).array();
  QStringList lines;
  for (const QJsonValue& step : steps) {
    if (lines.size() == max_listed) {
      lines << CheckpointList::tr("and %1 more").arg(steps.size() - max_listed);
      break;
    }
    lines << devices_text(step.toObject());
  }
  return lines.join(QLatin1Char('\n'));
}

void CheckpointList::ask(const QString& program, const QString& folder) {
  if (work::ChildProcess* old = std::exchange(process_, nullptr)) {
    old->disconnect(this);
    old->deleteLater();
  }
  said_.clear();
  if (folder.isEmpty()) return;
  process_ = new work::ChildProcess(this);
  connect(process_, &work::ChildProcess::output_line, this, [this](const QByteArray& line) { said_ += line + '\n'; });
  connect(process_, &work::ChildProcess::ended, this, &CheckpointList::take);
  process_->start(program, {QStringLiteral("list"), QStringLiteral("checkpoints"), folder, QStringLiteral("--json")});
}

void CheckpointList::take(const work::ProcessEnd& end) {
  std::exchange(process_, nullptr)->deleteLater();
  if (!end.started || end.crashed || end.exit_status != 0) {
    emit answered(work::without_program(end.messages), true);
    return;
  }
  const QString words = checkpoints_text(said_);
  emit answered(words.isEmpty() ? tr("this folder has no checkpoints") : words, words.isEmpty());
}

}  // namespace pipedeck::session::runs
