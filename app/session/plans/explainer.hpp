// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations of plans, computed in the background on request and cached.
#pragma once

#include <list>
#include <memory>

#include <QObject>
#include <QString>

#include "app/session/work/jobs.hpp"
#include "core/model/explanation.hpp"
#include "core/model/jitter.hpp"
#include "core/study/accuracy/nearest_runs.hpp"
#include "core/study/plan_simulator.hpp"

namespace pipedeck::session::plans {

struct Explanation {
  std::shared_ptr<const CriticalPath> path;
  TimeBreakdown parts;
  QString unavailable_reason;  ///< why there is none; empty: there is one
};

/// A measure of how much an iteration varies.
struct JitterResult {
  JitterBand band;
  QString unavailable_reason;  ///< why it is unknown; empty: it is known
};

/// Published runs next to a plan of format version 2.
struct PublishedResult {
  study::accuracy::LikeRuns like;
  QString unavailable_reason;  ///< why they are unknown; empty: they are known
};

class Explainer : public QObject {
  Q_OBJECT

 public:
  Explainer(study::PlanSimulator& plan_simulator, work::Jobs& jobs, QObject* parent = nullptr);

  /// Returns null if it is unknown; it is then computed, and `changed` follows.
  std::shared_ptr<const Explanation> explanation(const Problem& problem, const std::shared_ptr<const Plan>& plan);

  /// Likewise, the nearest published runs; null for a plan of format version 1, which has none.
  std::shared_ptr<const PublishedResult> published(const Problem& problem, const std::shared_ptr<const Plan>& plan);

  /// Returns null if it was not requested.
  std::shared_ptr<const Sensitivity> sensitivity(const Problem& problem, const std::shared_ptr<const Plan>& plan) const;
  void find_sensitivity(const Problem& problem, const std::shared_ptr<const Plan>& plan);
  void cancel_sensitivity() { jobs_.cancel(sensitivity_job_); }
  bool finding_sensitivity() const { return jobs_.running(sensitivity_job_); }

  /// Returns null if it is unknown; it is then computed, and `changed` follows. Jobs for other options are cancelled.
  std::shared_ptr<const JitterResult> band(const Problem& problem, const std::shared_ptr<const Plan>& plan,
                                           const JitterOptions& options);

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
  struct JitterKey {
    Key of;
    JitterOptions options;
    bool operator==(const JitterKey&) const = default;
  };
  template <class Value, class KeyOf = Key>
  struct CacheEntry {
    KeyOf key;
    std::shared_ptr<const Value> value;
  };
  struct BandJob {
    JitterKey key;
    int job = 0;
  };
  void find_band(const JitterKey& key, const Problem& problem);
  void end_band(int job, work::JobState state);
  void drop_other_bands(const JitterOptions& options);
  static Key key_of(const Problem& problem, const std::shared_ptr<const Plan>& plan) {
    return {problem.profile, problem.cluster, problem.workload, plan};
  }

  study::PlanSimulator& simulator_;
  work::Jobs& jobs_;
  // Newest first.
  std::list<CacheEntry<Explanation>> explanations_;
  std::list<CacheEntry<PublishedResult>> published_;
  std::list<CacheEntry<Sensitivity>> sensitivities_;
  std::list<CacheEntry<JitterResult, JitterKey>> bands_;
  std::list<Key> asked_, asked_published_;
  std::list<BandJob> band_jobs_;  // running
  int sensitivity_job_ = 0;
};

}  // namespace pipedeck::session::plans
