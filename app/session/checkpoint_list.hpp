// SPDX-License-Identifier: GPL-3.0-or-later
// What is in a folder of checkpoints, as `pipedeck-cli list checkpoints` tells it: they may be large, so another
// process reads them.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>

#include "app/session/child_process.hpp"

namespace pipedeck::app {

/// The newest checkpoints in words, of the command's JSON; empty: it is none.
QString checkpoints_in_words(const QByteArray& json);

class CheckpointList : public QObject {
  Q_OBJECT

 public:
  explicit CheckpointList(QObject* parent = nullptr) : QObject(parent) {}

  /// Asks anew; an answer to an older question is dropped. An empty folder: nothing is asked.
  void ask(const QString& program, const QString& folder);

 signals:
  void answered(const QString& words, bool problem);

 private:
  void take(const ProcessEnd& end);

  ChildProcess* process_ = nullptr;
  QByteArray said_;
};

}  // namespace pipedeck::app
