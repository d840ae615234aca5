// SPDX-License-Identifier: GPL-3.0-or-later
// Strong and weak scaling of the question's training over sizes of its cluster. A job plans at each size. Points are
// kept until the question changes, so that a cancelled search continues with the sizes that are left.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <QObject>
#include <QPointer>
#include <QString>

#include "app/session/work/callback_guard.hpp"
#include "app/session/work/jobs.hpp"
#include "core/model/workload.hpp"
#include "core/study/capacity/scaling.hpp"

namespace pipedeck::session::whatif {

using study::capacity::ScalingKind;
using study::capacity::ScalingPoint;

class ScalingStudy : public QObject {
  Q_OBJECT

 public:
  explicit ScalingStudy(work::Jobs& jobs, QObject* parent = nullptr);
  ~ScalingStudy() override;

  /// Sets the question. If it differs from the last one, all points are dropped.
  void ask(const Problem& problem);
  void forget();
  /// Plans at 1, 2, 4 ... and `most_nodes` nodes, for the sizes that are not known yet.
  void find(ScalingKind kind, int most_nodes);
  void cancel() {
    if (jobs_) jobs_->cancel(job_);
  }
  /// Lets the search stand still, or continue.
  void pause(bool on) {
    if (jobs_) jobs_->pause(job_, on);
  }
  bool running() const { return jobs_ && jobs_->running(job_); }
  /// Returns the kind that was searched for last; absent: none.
  const std::optional<ScalingKind>& kind() const { return kind_; }

  /// Returns the points that are known, ascending by devices, of the last search for that kind.
  std::vector<ScalingPoint> found(ScalingKind kind) const;
  /// Returns the number of sizes of the last search for that kind; 0: none yet.
  std::size_t size_count(ScalingKind kind) const;
  /// Returns true if the sizes up to the first one with a plan are known: efficiencies are relative to it.
  bool has_first(ScalingKind kind) const;
  bool complete(ScalingKind kind) const { return size_count(kind) > 0 && found(kind).size() == size_count(kind); }
  /// Returns why the question has no such sizes; empty if it has.
  const QString& unavailable_reason() const { return unavailable_reason_; }
  std::string csv(ScalingKind kind) const;

 signals:
  void changed();

 private:
  study::capacity::ProblemAt problem_at_points() const;
  void keep(ScalingKind kind, const CapacityPoint& point, const ScalingPoint& found);

  QPointer<work::Jobs> jobs_;  ///< a window's session is destroyed before its pages
  std::shared_ptr<work::CallbackGuard> guard_;
  std::optional<Problem> problem_;
  std::optional<ScalingKind> kind_;
  std::map<ScalingKind, std::vector<CapacityPoint>> sizes_;  ///< of the last search
  std::map<std::pair<ScalingKind, CapacityPoint>, ScalingPoint> found_;
  QString unavailable_reason_;
  int job_ = 0;
};

}  // namespace pipedeck::session::whatif
