// SPDX-License-Identifier: GPL-3.0-or-later
// A training run of a plan. First, the model's layers and this machine are measured; the plan is predicted with these
// figures, then it runs. Measurement and run are child processes of the command line, so that a crash there is a
// message here. On GPUs, nothing is measured first: the run is compared with the prediction of its planning.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QFuture>
#include <QObject>
#include <QString>

#include "app/session/project/state.hpp"
#include "app/session/runs/event_reader.hpp"
#include "app/session/runs/run_arguments.hpp"
#include "app/session/work/child_process.hpp"
#include "app/session/work/temporary_folder.hpp"
#include "core/study/plan_simulator.hpp"

namespace pipedeck::session::runs {

struct LaunchSpec {
  QString program;  ///< pipedeck-cli
  Plan plan;
  Problem problem;  ///< problem for which the plan was made
  std::shared_ptr<const ModelSpec> model;
  RunSettings settings;
};

/// A request of the user to launch a plan.
struct LaunchParameters {
  int plan = 0;                            ///< id
  std::shared_ptr<const ModelSpec> model;  ///< null: the model of the plan's profile
  RunSettings settings;
  bool one_of_several = false;  ///< the caller reports the failure
};

/// Returns why the plan cannot be trained here; empty if it can, before the machine is checked.
QString not_launchable_reason(const Plan& plan, const ModelSpec* model, const RunBackend& backend);

/// Returns why this machine's CPU cannot train the model; empty if it can.
QString too_large_reason(const ModelSpec& model);

/// Reads a trainable model from a file.
Result<std::shared_ptr<const ModelSpec>> model_from_file(const QString& path);

/// Returns the micro-batch sizes of the plan's replicas, ascending; these are measured.
std::vector<int> measured_micro_batches(const Plan& plan);

class Launch : public QObject {
  Q_OBJECT

 public:
  enum class Phase { measuring, predicting, training, ended };

  Launch(LaunchSpec spec, study::PlanSimulator& plan_simulator, QObject* parent = nullptr);
  ~Launch() override;  ///< kills the child and waits for a running prediction

  void start();
  void stop();
  /// Pauses or resumes the training between two steps. Has no effect during the measurement.
  void pause(bool paused);
  Phase phase() const { return phase_; }
  qint64 process_id() const { return process_.id(); }
  const LaunchSpec& spec() const { return spec_; }
  /// Returns the record so far; its `state` is running until `ended`.
  const project::RunRecord& record() const { return record_; }

 signals:
  void progress(double done, const QString& what);  ///< below 0: unknown
  void message(const QString& line);                ///< messages of the child process
  void measured(std::shared_ptr<const pipedeck::Profile> profile, std::shared_ptr<const pipedeck::Cluster> machine);
  void predicted(std::shared_ptr<const pipedeck::Simulation> simulation);
  void event(const pipedeck::RunEvent& event);
  void ended(std::shared_ptr<const project::RunRecord> record);

 private:
  void measure();
  Result<void> write_problem() const;
  void measuring_ended(const work::ProcessEnd& end);
  Result<void> receive_measurements();
  void predict();
  void train(const Result<std::shared_ptr<const Simulation>>& simulation);
  void receive_events(const std::vector<Result<RunEvent>>& events);
  void receive_event(const RunEvent& event);
  void end_training();
  QString failure_text(const std::string& failure) const;
  QString crash_text(const work::ProcessEnd& end) const;
  void end(project::RunOutcome outcome, const QString& why);
  QString file(const char* name) const { return directory_.filePath(QLatin1String(name)); }

  LaunchSpec spec_;
  study::PlanSimulator& simulator_;
  work::TemporaryFolder directory_;
  work::ChildProcess process_;
  EventReader reader_;
  std::optional<work::ProcessEnd> trained_;  ///< end of the training process; its last events may still be parsed
  QFuture<Result<std::shared_ptr<const Simulation>>> prediction_;
  Phase phase_ = Phase::measuring;
  bool stop_requested_ = false;
  int steps_done_ = 0;
  project::RunRecord record_;
};

}  // namespace pipedeck::session::runs
