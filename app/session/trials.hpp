// SPDX-License-Identifier: GPL-3.0-or-later
// Real trials (AMP, Li et al., 2022, Algorithm 1, line 8): several plans are trained here for a few steps, one after
// the other as launches, and the fastest measured is what counts. Each is a run of the history. A plan that can't be
// run says why and stops none of the others.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QObject>
#include <QString>

#include "app/session/session.hpp"

namespace pipedeck::app {

/// Whether devices do the same for both, whatever they are called and were predicted with.
bool trains_alike(const Plan& a, const Plan& b);

/// What a step took, by the run's throughput; nothing where no step was done.
std::optional<Seconds> measured_iteration(const RunRecord& run);

/// Of the newest run of this very plan of that model that finished; nothing: there is none.
std::optional<Seconds> measured_iteration(const ProjectState& state, const PlanEntry& entry);

struct Trial {
  int plan = 0;
  QString name;
  std::optional<Seconds> predicted, measured;  ///< predicted: with what was measured here, before it ran
  QString failure;                             ///< why it was not measured
};

class Trials : public QObject {
  Q_OBJECT

 public:
  explicit Trials(Session& session, QObject* parent = nullptr);

  /// Nothing where a run is under way.
  void start(const std::vector<int>& plans, const RunSettings& settings, std::shared_ptr<const ModelSpec> model = {});
  /// The one under way is stopped, those behind it are not begun; what was measured stays.
  void stop();
  /// Also between two of them.
  bool running() const { return running_; }
  int count() const { return static_cast<int>(plans_.size()); }
  /// Those that ended, in the order of the plans.
  const std::vector<Trial>& done() const { return done_; }
  /// Null: none was measured yet.
  const Trial* fastest() const;

 signals:
  void began(int place);  ///< of `count`, from 0
  void ended();

 private:
  void next();
  void take(int run);
  void skip(const QString& why);

  Session& session_;
  std::vector<int> plans_;
  LaunchOrder order_;
  std::vector<Trial> done_;
  bool running_ = false, stopped_ = false;
};

}  // namespace pipedeck::app
