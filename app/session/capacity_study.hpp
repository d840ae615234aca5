// SPDX-License-Identifier: GPL-3.0-or-later
// How many devices a training takes: points planned for in a job, kept while the question is the same, so that a sweep
// that was cancelled goes on and other limits are asked of it at once; in a file, too, for another day.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <QObject>
#include <QPointer>
#include <QString>

#include "app/session/jobs.hpp"
#include "core/domain/capacity.hpp"
#include "core/domain/workload.hpp"
#include "core/whatif/capacity_sweep.hpp"

namespace pipedeck::app {

/// Clusters that are looked at.
struct CapacityReach {
  int most_nodes = 1;
  std::vector<std::string> types{""};  ///< "": as the cluster is
  bool operator==(const CapacityReach&) const = default;
};

/// Told by its first bytes.
bool is_capacity_points(const QString& path);

class CapacityStudy : public QObject {
  Q_OBJECT

 public:
  explicit CapacityStudy(Jobs& jobs, QObject* parent = nullptr);
  ~CapacityStudy() override;

  /// Another question: what was found goes. The same one again changes nothing.
  void ask(const Problem& problem);
  void forget();
  /// Plans for the points of this reach that are not known yet.
  void find(const CapacityReach& reach);
  void cancel() {
    if (jobs_) jobs_->cancel(job_);
  }
  bool running() const { return jobs_ && jobs_->running(job_); }
  /// Every point of the reach was looked at.
  bool complete() const;
  bool asked() const { return reach_.has_value(); }
  const std::optional<CapacityReach>& reach() const { return reach_; }

  /// What is there, and what is found from now on, is kept in this file. An error leaves it as it was.
  Result<void> keep_in(const QString& file);
  /// Takes what a file kept of this question, whoever wrote it, and keeps on writing it. Points of another question, or
  /// of other batches alone, are bad_input.
  Result<void> go_on_from(const QString& file);
  /// Empty: points are kept in memory alone.
  const QString& file() const { return file_; }

  /// The points of the reach that are known, as the command line orders them.
  std::vector<CapacityFound> found() const;
  std::string csv(const CapacityGoal& goal) const;

  /// The prices' currency.
  static std::string currency();
  /// All types of the catalogue.
  static std::vector<std::string> catalogue_types();

 signals:
  void changed();
  void failed(const QString& text);  ///< the file could not be written

 private:
  std::string question() const;
  ProblemAt problem_at_points() const;
  std::vector<CapacityPoint> points() const;
  bool is_of_batch(const CapacityPoint& point) const;
  void keep(const CapacityFound& found);

  /// How the job's threads reach the study, while there is one.
  struct Door {
    std::mutex mutex;
    CapacityStudy* owner = nullptr;
    void post(std::function<void()> what);
  };
  QPointer<Jobs> jobs_;  ///< a window's session ends before its pages
  std::shared_ptr<Door> door_;
  std::optional<Problem> problem_;
  std::optional<CapacityReach> reach_;
  std::map<CapacityPoint, CapacityFound> found_;
  QString file_;
  int job_ = 0;
};

}  // namespace pipedeck::app
