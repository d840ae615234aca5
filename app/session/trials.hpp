// SPDX-License-Identifier: GPL-3.0-or-later
// Real trials as launches, one after another. Each becomes a run of the history, and the fastest plan is selected. A
// plan that cannot be run has a reason and does not stop the others.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QObject>
#include <QString>

#include "app/session/session.hpp"
#include "core/study/trial.hpp"

namespace pipedeck::session {

/// Returns true if devices execute the same in both plans, regardless of names and predictions.
bool trains_alike(const Plan& a, const Plan& b);

/// Returns the time per step from the run's throughput, or nullopt if no step was completed.
std::optional<Seconds> measured_iteration(const project::RunRecord& run);

/// Returns the time of the newest finished run of this plan and its model, or nullopt.
std::optional<Seconds> measured_iteration(const project::State& state, const project::PlanEntry& entry);

/// A queue of trials. Predictions are those before the run, with the measurements of this machine.
class Trials : public QObject {
  Q_OBJECT

 public:
  explicit Trials(Session& session, QObject* parent = nullptr);

  /// Does nothing if a run is active.
  void start(const std::vector<int>& plans, const runs::RunSettings& settings,
             std::shared_ptr<const ModelSpec> model = {});
  /// Stops the current trial and skips the remaining ones; results so far are not lost.
  void stop();
  /// Also true between two trials.
  bool running() const { return running_; }
  int count() const { return static_cast<int>(plans_.size()); }
  /// Returns the ended trials in the order of the plans.
  const std::vector<study::Trial>& done() const { return done_; }
  /// Returns null if none was measured.
  const study::Trial* fastest() const { return study::fastest(done_); }

 signals:
  void began(int place);  ///< of `count`, from 0
  void ended();

 private:
  void next();
  void take(int run);
  void skip(const QString& why);

  Session& session_;
  std::vector<int> plans_;
  runs::LaunchParameters order_;
  std::vector<study::Trial> done_;
  bool running_ = false, stopped_ = false;
};

}  // namespace pipedeck::session
