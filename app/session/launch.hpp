// SPDX-License-Identifier: GPL-3.0-or-later
// Training a plan for real: the model's layers and this machine are measured first, the plan is predicted with what was
// measured, then it runs. Measuring and running are child processes of the command line; a crash there is a message
// here. On GPUs nothing is measured first: a run is set beside what was predicted when it was planned.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QFuture>
#include <QObject>
#include <QString>
#include <QTemporaryDir>

#include "app/session/child_process.hpp"
#include "app/session/event_reader.hpp"
#include "app/session/judge.hpp"
#include "app/session/project_state.hpp"
#include "app/session/run_arguments.hpp"

namespace pipedeck::app {

struct LaunchSpec {
  QString program;  ///< pipedeck-cli
  Plan plan;
  Problem problem;  ///< what the plan was made for
  std::shared_ptr<const ModelSpec> model;
  RunSettings settings;
};

/// What a person asks to be launched.
struct LaunchOrder {
  int plan = 0;                            ///< id
  std::shared_ptr<const ModelSpec> model;  ///< null: the one of the plan's profile
  RunSettings settings;
  bool one_of_several = false;  ///< who ordered it tells how it failed
};

/// Why the plan can't be trained here; empty where it can, as far as is known before the machine is asked.
QString why_not_launchable(const Plan& plan, const ModelSpec* model, const RunBackend& backend);

/// Why this machine's processor can't train the model; empty where it can.
QString why_too_large(const ModelSpec& model);

/// A model that was written down to be trained.
Result<std::shared_ptr<const ModelSpec>> model_from_file(const QString& path);

/// Samples that replicas of the plan work on at a time, ascending: the sizes worth measuring.
std::vector<int> measured_micro_batches(const Plan& plan);

class Launch : public QObject {
  Q_OBJECT

 public:
  enum class Phase { measuring, predicting, training, ended };

  Launch(LaunchSpec spec, Judge& judge, QObject* parent = nullptr);
  ~Launch() override;  ///< kills the child and waits for a prediction under way

  void start();
  void stop();
  /// The training waits between two steps; while the layers are measured there is nothing to pause.
  void pause(bool paused);
  Phase phase() const { return phase_; }
  qint64 process_id() const { return process_.id(); }
  const LaunchSpec& spec() const { return spec_; }
  /// Of the run so far; `state` is running until `ended`.
  const RunRecord& record() const { return record_; }

 signals:
  void progress(double done, const QString& what);  ///< below 0: unknown
  void message(const QString& line);                ///< what the child process says
  void measured(std::shared_ptr<const pipedeck::Profile> profile, std::shared_ptr<const pipedeck::Cluster> machine);
  void predicted(std::shared_ptr<const pipedeck::Simulation> simulation);
  void event(const pipedeck::RunEvent& event);
  void ended(std::shared_ptr<const pipedeck::app::RunRecord> record);

 private:
  void measure();
  Result<void> write_problem() const;
  void measuring_ended(const ProcessEnd& end);
  Result<void> take_measurements();
  void predict();
  void train(const Result<std::shared_ptr<const Simulation>>& simulation);
  void take_events(const std::vector<Result<RunEvent>>& events);
  void take_event(const RunEvent& event);
  void end_training();
  QString failure_text(const std::string& failure) const;
  QString crash_text(const ProcessEnd& end) const;
  void end(RunOutcome outcome, const QString& why);
  QString file(const char* name) const { return directory_.filePath(QLatin1String(name)); }

  LaunchSpec spec_;
  Judge& judge_;
  QTemporaryDir directory_;
  ChildProcess process_;
  EventReader reader_;
  std::optional<ProcessEnd> trained_;  ///< how the training process ended; its last events may still be read
  QFuture<Result<std::shared_ptr<const Simulation>>> prediction_;
  Phase phase_ = Phase::measuring;
  bool stop_requested_ = false;
  int steps_done_ = 0;
  RunRecord record_;
};

}  // namespace pipedeck::app
