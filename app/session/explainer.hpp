// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations of plans, computed in the background when they are asked for, and remembered.
#pragma once

#include <list>
#include <memory>

#include <QObject>
#include <QString>

#include "app/session/jobs.hpp"
#include "app/session/judge.hpp"
#include "core/domain/explanation.hpp"

namespace pipedeck::app {

struct Explanation {
  std::shared_ptr<const CriticalPath> path;
  TimeParts parts;
  QString why_not;  ///< it could not be explained; empty: it was
};

class Explainer : public QObject {
  Q_OBJECT

 public:
  Explainer(Judge& judge, Jobs& jobs, QObject* parent = nullptr);

  /// Null while it is not known: it is then computed, and `changed` follows.
  std::shared_ptr<const Explanation> explanation(const Problem& problem, const std::shared_ptr<const Plan>& plan);

  /// Null where nobody has asked for it.
  std::shared_ptr<const Sensitivity> sensitivity(const Problem& problem, const std::shared_ptr<const Plan>& plan) const;
  void find_sensitivity(const Problem& problem, const std::shared_ptr<const Plan>& plan);
  void cancel_sensitivity() { jobs_.cancel(sensitivity_job_); }
  bool finding_sensitivity() const { return jobs_.running(sensitivity_job_); }

 signals:
  void changed();
  void failed(const QString& title, const QString& text);

 private:
  struct Key {
    std::shared_ptr<const Profile> profile;
    std::shared_ptr<const Cluster> cluster;
    Workload workload;
    std::shared_ptr<const Plan> plan;
    bool operator==(const Key&) const = default;
  };
  template <class Value>
  struct Remembered {
    Key key;
    std::shared_ptr<const Value> value;
  };
  static Key key_of(const Problem& problem, const std::shared_ptr<const Plan>& plan) {
    return {problem.profile, problem.cluster, problem.workload, plan};
  }

  Judge& judge_;
  Jobs& jobs_;
  // Newest first.
  std::list<Remembered<Explanation>> explanations_;
  std::list<Remembered<Sensitivity>> sensitivities_;
  std::list<Key> asked_;
  int sensitivity_job_ = 0;
};

}  // namespace pipedeck::app
