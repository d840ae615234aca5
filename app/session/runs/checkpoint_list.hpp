// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a checkpoint folder, from `pipedeck-cli list checkpoints`. Checkpoints may be large, so another
// process reads them.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>

#include "app/session/work/child_process.hpp"

namespace pipedeck::session::runs {

/// Describes the newest checkpoints from the command's JSON; empty if it is invalid.
QString checkpoints_text(const QByteArray& json);

class CheckpointList : public QObject {
  Q_OBJECT

 public:
  explicit CheckpointList(QObject* parent = nullptr) : QObject(parent) {}

  /// Starts a request; answers to older ones are dropped. For an empty folder, nothing is requested.
  void ask(const QString& program, const QString& folder);

 signals:
  void answered(const QString& words, bool problem);

 private:
  void take(const work::ProcessEnd& end);

  work::ChildProcess* process_ = nullptr;
  QByteArray said_;
};

}  // namespace pipedeck::session::runs
