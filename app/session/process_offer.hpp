// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the command line can train in several processes here: mpirun is there, and its module that knows MPI.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>

#include "app/session/child_process.hpp"

namespace pipedeck::app {

class ProcessOffer : public QObject {
  Q_OBJECT

 public:
  explicit ProcessOffer(QObject* parent = nullptr) : QObject(parent), process_(this) {
    connect(&process_, &ChildProcess::output_line, this, &ProcessOffer::take_line);
    connect(&process_, &ChildProcess::ended, this, &ProcessOffer::take_end);
  }

  /// The first time it is called.
  void ask(const QString& program);

 signals:
  void answered(const QString& why_not);  ///< empty: it can

 private:
  void take_line(const QByteArray& line);
  void take_end(const ProcessEnd& end);

  ChildProcess process_;
  QString mpi_;
  bool asked_ = false;
};

}  // namespace pipedeck::app
