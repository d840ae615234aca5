// SPDX-License-Identifier: GPL-3.0-or-later
// The number of devices that a training needs. A job plans for the points. They are stored until the question changes,
// so that a cancelled sweep can be resumed and other limits are evaluated immediately. They can also be stored in a
// file.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <QObject>
#include <QPointer>
#include <QString>

#include "app/session/work/callback_guard.hpp"
#include "app/session/work/jobs.hpp"
#include "core/model/capacity.hpp"
#include "core/model/workload.hpp"
#include "core/study/capacity/sweep.hpp"

namespace pipedeck::session::whatif {

/// A set of clusters to search.
struct CapacityReach {
  int max_nodes = 1;
  std::vector<std::string> types{""};  ///< "": the cluster's own types
  bool operator==(const CapacityReach&) const = default;
};

/// Detects the format by the file's first bytes.
bool is_capacity_points(const QString& path);

class CapacityStudy : public QObject {
  Q_OBJECT

 public:
  explicit CapacityStudy(work::Jobs& jobs, QObject* parent = nullptr);
  ~CapacityStudy() override;

  /// Sets the question. If it differs from the last one, all points are dropped.
  void ask(const Problem& problem);
  void forget();
  /// Plans for the unknown points of this reach.
  void find(const CapacityReach& reach);
  void cancel() {
    if (jobs_) jobs_->cancel(job_);
  }
  /// Lets the search stand still, or continue.
  void pause(bool on) {
    if (jobs_) jobs_->pause(job_, on);
  }
  bool running() const { return jobs_ && jobs_->running(job_); }
  /// Returns true if all points of the reach are known.
  bool complete() const;
  bool asked() const { return reach_.has_value(); }
  const std::optional<CapacityReach>& reach() const { return reach_; }

  /// Stores known and future points in this file. After an error, the study is unchanged.
  Result<void> keep_in(const QString& file);
  /// Loads the points of this question from a file of any program, and continues to write it. Returns bad_input if
  /// (the) file is of another question or only of other batches.
  Result<void> resume_from(const QString& file);
  /// Returns the file; empty if points are only in memory.
  const QString& file() const { return file_; }

  /// Returns the known points of the reach in the order of the command line.
  std::vector<CapacityFound> found() const;
  std::string csv(const CapacityGoal& goal) const;

  /// Returns the tokens of a sample of a computed profile; absent: unknown.
  static std::optional<int> sample_tokens(const Profile& profile);
  /// Returns the currency of the prices.
  static std::string currency();
  /// Returns all types of the catalogue.
  static std::vector<std::string> catalogue_types();

 signals:
  void changed();
  void failed(const QString& text);  ///< the file could not be written

 private:
  std::vector<study::PlannerRequest> planners() const;
  std::string question() const;
  study::capacity::ProblemAt problem_at_points() const;
  std::vector<CapacityPoint> points() const;
  bool is_of_batch(const CapacityPoint& point) const;
  void keep(const CapacityFound& found);

  QPointer<work::Jobs> jobs_;  ///< a window's session is destroyed before its pages
  std::shared_ptr<work::CallbackGuard> guard_;
  std::optional<Problem> problem_;
  std::optional<CapacityReach> reach_;
  std::map<CapacityPoint, CapacityFound> found_;
  QString file_;
  int job_ = 0;
};

}  // namespace pipedeck::session::whatif
