// SPDX-License-Identifier: GPL-3.0-or-later
// How many devices a training takes: points planned for in a job, kept in memory while the question is the same, so
// that a sweep that was cancelled goes on and other limits are asked of it at once.
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

namespace pipedeck::app {

/// Clusters that are looked at.
struct CapacityReach {
  int most_nodes = 1;
  std::vector<std::string> types{""};  ///< "": as the cluster is
  bool operator==(const CapacityReach&) const = default;
};

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

  /// The points of the reach that are known, as the command line orders them.
  std::vector<CapacityFound> found() const;
  std::string csv(const CapacityGoal& goal) const;

  /// The prices' currency.
  static std::string currency();
  /// All types of the catalogue.
  static std::vector<std::string> catalogue_types();

 signals:
  void changed();

 private:
  std::vector<CapacityPoint> points() const;
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
  int job_ = 0;
};

}  // namespace pipedeck::app
