// SPDX-License-Identifier: GPL-3.0-or-later
// The training backends of the command line besides the threads of one process: several processes with MPI, and GPUs.
// They are detected once by a child process, so that this process never loads a driver.
#pragma once

#include <vector>

#include <QByteArray>
#include <QJsonObject>
#include <QObject>
#include <QString>

#include "app/session/work/child_process.hpp"

namespace pipedeck::session::runs {

/// A list of the GPUs found by `run --backend cuda`.
struct LocalGpus {
  struct Kind {
    int count = 0;
    QString name;  ///< "NVIDIA H100 80GB HBM3"
    bool operator==(const Kind&) const = default;
  };
  std::vector<Kind> kinds;
  QString unavailable_reason;  ///< a sentence, why GPUs cannot be used; empty: they can, or it is not known yet
  int count() const;
  QString text() const;  ///< "2 × NVIDIA H100 80GB HBM3"
};

class AvailableBackends : public QObject {
  Q_OBJECT

 public:
  explicit AvailableBackends(QObject* parent = nullptr) : QObject(parent), process_(this) {
    connect(&process_, &work::ChildProcess::output_line, this, &AvailableBackends::receive_line);
    connect(&process_, &work::ChildProcess::ended, this, &AvailableBackends::receive_end);
  }

  /// Starts the detection on the first call.
  void ask(const QString& program);

 signals:
  /// Reports why several processes are not available; empty if they are.
  void processes_answered(const QString& why_not);
  void gpus_answered(const runs::LocalGpus& gpus);

 private:
  void receive_line(const QByteArray& line);
  void receive_end(const work::ProcessEnd& end);
  void answer_processes(const QString& unresponsive_reason);
  void answer_gpus(const QString& unresponsive_reason);

  work::ChildProcess process_;
  QByteArray answer_;
  QJsonObject mpi_, cuda_;  ///< items of `list devices --json`
  bool asked_ = false;
};

}  // namespace pipedeck::session::runs
