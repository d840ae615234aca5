// SPDX-License-Identifier: GPL-3.0-or-later
// A model measured on this machine by a child process: its layers' times and bytes, and the machine's own figures as a
// cluster, of the processor's cores or, where the project trains on GPUs, of those with their links as measured. Both
// come into the project as one step of undo, chosen, so that Compare plans with them at once.
#pragma once

#include <memory>

#include <QByteArray>
#include <QStringList>
#include <QTemporaryDir>

#include "app/session/child_process.hpp"
#include "app/session/project_state.hpp"

namespace pipedeck::app {

class Session;

/// Why the model of that profile can't be measured here; empty: it can.
QString why_not_measurable(const ProjectState& state, int profile);

/// Sizes that plans of the question may ask for: 1, 2, 4 ... up to its micro-batch, and that one.
std::vector<int> sizes_to_measure(const Question& question);

/// One measurement at a time. Lives in the list of jobs, where it can be cancelled; what goes wrong is said by the
/// session. Ends by itself.
class Measurement : public QObject {
  Q_OBJECT

 public:
  Measurement(Session& session, QString runner, QObject* parent = nullptr);
  /// Of why_not_measurable's kind. False: one is under way, or it could not be started.
  bool start(int profile);
  bool running() const { return process_.running(); }

 signals:
  void running_changed();

 private:
  void take_line(const QByteArray& line);
  void take_end(const ProcessEnd& end);
  QStringList arguments() const;
  QString problem_of(const ProcessEnd& end);
  QString file(const char* name) const { return directory_->filePath(QLatin1String(name)); }

  Session& session_;
  QString runner_, title_;
  ChildProcess process_;
  std::unique_ptr<QTemporaryDir> directory_;
  std::shared_ptr<const ModelSpec> model_;
  RunBackend backend_;  ///< as it was when this began
  int job_ = 0;
};

}  // namespace pipedeck::app
