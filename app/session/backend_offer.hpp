// SPDX-License-Identifier: GPL-3.0-or-later
// What the command line can train with here beside the threads of one process: several processes joined by MPI, and
// GPUs. It is asked once, in a process of its own: this one never loads a driver.
#pragma once

#include <vector>

#include <QByteArray>
#include <QObject>
#include <QString>

#include "app/session/child_process.hpp"

namespace pipedeck::app {

/// The GPUs that `run --backend cuda` finds.
struct GpusHere {
  struct Kind {
    int count = 0;
    QString name;  ///< "NVIDIA H100 80GB HBM3"
    bool operator==(const Kind&) const = default;
  };
  std::vector<Kind> kinds;
  QString why_not;  ///< a sentence, why there can be no run on GPUs; empty: there can, or it is not known yet
  int count() const;
  QString text() const;  ///< "2 × NVIDIA H100 80GB HBM3"
};

class BackendOffer : public QObject {
  Q_OBJECT

 public:
  explicit BackendOffer(QObject* parent = nullptr) : QObject(parent), process_(this) {
    connect(&process_, &ChildProcess::output_line, this, &BackendOffer::take_line);
    connect(&process_, &ChildProcess::ended, this, &BackendOffer::take_end);
  }

  /// The first time it is called.
  void ask(const QString& program);

 signals:
  /// Why there can be no several processes; empty: there can.
  void processes_answered(const QString& why_not);
  void gpus_answered(const pipedeck::app::GpusHere& gpus);

 private:
  void take_line(const QByteArray& line);
  void take_end(const ProcessEnd& end);
  void answer_processes(const QString& why_silent);
  void answer_gpus(const QString& why_silent);
  QString why_no_gpus(const QString& why_silent) const;

  ChildProcess process_;
  QString mpi_, no_gpus_, no_driver_, no_module_;  ///< lines of the answer
  GpusHere gpus_;
  bool asked_ = false;
};

}  // namespace pipedeck::app
