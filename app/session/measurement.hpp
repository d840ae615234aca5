// SPDX-License-Identifier: GPL-3.0-or-later
// A measurement of a model on this machine by a child process. It measures the times and bytes of the layers, and the
// machine as a cluster. This has CPU cores, or GPUs with their links if the project trains on GPUs. Both are added and
// chosen in one undo step, so that Compare uses them.
#pragma once

#include <memory>

#include <QByteArray>
#include <QStringList>

#include "app/session/project/state.hpp"
#include "app/session/work/child_process.hpp"
#include "app/session/work/temporary_folder.hpp"

namespace pipedeck::session {

class Session;

/// Returns why the model of that profile cannot be measured here; empty if it can.
QString not_measurable_reason(const project::State& state, int profile);

/// Returns the micro-batches that plans of the question may have: 1, 2, 4 ... up to its micro-batch, inclusive.
std::vector<int> sizes_to_measure(const project::PlanningSetup& question);

/// A measurement, at most one at a time. It is in the list of jobs, where it can be cancelled. The session reports its
/// errors.
class Measurement : public QObject {
  Q_OBJECT

 public:
  Measurement(Session& session, QString runner, QObject* parent = nullptr);
  /// Starts to measure a profile for which not_measurable_reason() is empty. Returns false if one is running or it
  /// cannot be started.
  bool start(int profile);
  bool running() const { return process_.running(); }

 signals:
  void running_changed();

 private:
  void receive_line(const QByteArray& line);
  void receive_end(const work::ProcessEnd& end);
  QStringList arguments() const;
  QString make_problem(const work::ProcessEnd& end);
  QString file(const char* name) const { return directory_->filePath(QLatin1String(name)); }

  Session& session_;
  QString runner_, title_;
  work::ChildProcess process_;
  std::unique_ptr<work::TemporaryFolder> directory_;
  std::shared_ptr<const ModelSpec> model_;
  RunBackend backend_;  ///< backend at the start of the measurement
  int job_ = 0;
};

}  // namespace pipedeck::session
