// SPDX-License-Identifier: GPL-3.0-or-later
// The largest size of the question's model or batch for which a plan fits the cluster. The search is a job.
#pragma once

#include <memory>
#include <optional>

#include <QObject>
#include <QPointer>
#include <QString>

#include "app/session/project/state.hpp"
#include "app/session/work/jobs.hpp"
#include "core/model/workload.hpp"
#include "core/study/capacity/largest.hpp"
#include "core/study/capacity/size_candidates.hpp"

namespace pipedeck::session::whatif {

struct LargestFound {
  study::capacity::SizeKind kind = study::capacity::SizeKind::layers;
  study::capacity::LargestAnswer answer;
  std::shared_ptr<const Profile> profile;  ///< of the size that fits; null: no size fits
};

class LargestStudy : public QObject {
  Q_OBJECT

 public:
  explicit LargestStudy(work::Jobs& jobs, QObject* parent = nullptr);
  ~LargestStudy() override;

  /// Sets the question. If it differs from the last one, the result is dropped.
  void ask(const Problem& problem);
  void forget();
  void find(study::capacity::SizeKind kind, const study::capacity::SizeSteps& steps);
  void cancel() {
    if (jobs_) jobs_->cancel(job_);
  }
  /// Lets the search stand still, or continue.
  void pause(bool on) {
    if (jobs_) jobs_->pause(job_, on);
  }
  bool running() const { return jobs_ && jobs_->running(job_); }
  bool cancelled() const { return cancelled_; }
  /// Returns the size being planned; empty if there is no search.
  QString doing() const;

  const std::optional<LargestFound>& found() const { return found_; }
  /// Returns why the question has no such size; empty if it has.
  const QString& unavailable_reason() const { return unavailable_reason_; }

 signals:
  void changed();

 private:
  QString take(const Result<LargestFound>& found);

  QPointer<work::Jobs> jobs_;  ///< a window's session is destroyed before its pages
  std::optional<Problem> problem_;
  std::optional<LargestFound> found_;
  QString unavailable_reason_;
  bool cancelled_ = false;
  int job_ = 0;
};

/// Returns "number of layers".
QString size_text(study::capacity::SizeKind kind);

/// Returns why this profile has no such size, and a remedy; empty if it may have.
QString no_such_size(const Profile& profile, study::capacity::SizeKind kind);

/// Adds the plan of the answer, and its profile and cluster if they are new. `id` is the plan's.
project::Added with_largest(const project::State& state, const LargestFound& found);

}  // namespace pipedeck::session::whatif
