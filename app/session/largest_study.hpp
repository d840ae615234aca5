// SPDX-License-Identifier: GPL-3.0-or-later
// The largest size of the question's model or batch that has a plan that fits its cluster: looked for in a job.
#pragma once

#include <memory>
#include <optional>

#include <QObject>
#include <QPointer>
#include <QString>

#include "app/session/jobs.hpp"
#include "app/session/project_state.hpp"
#include "core/domain/workload.hpp"
#include "core/whatif/largest.hpp"
#include "core/whatif/size_ladder.hpp"

namespace pipedeck::app {

struct LargestFound {
  SizeKind kind = SizeKind::layers;
  LargestAnswer answer;
  std::shared_ptr<const Profile> profile;  ///< of the size that fits; null: none does
};

class LargestStudy : public QObject {
  Q_OBJECT

 public:
  explicit LargestStudy(Jobs& jobs, QObject* parent = nullptr);
  ~LargestStudy() override;

  /// Another question: what was found goes. The same one again changes nothing.
  void ask(const Problem& problem);
  void forget();
  void find(SizeKind kind, const SizeSteps& steps);
  void cancel() {
    if (jobs_) jobs_->cancel(job_);
  }
  bool running() const { return jobs_ && jobs_->running(job_); }
  bool cancelled() const { return cancelled_; }
  /// What is being planned for; empty: nothing is.
  QString doing() const;

  const std::optional<LargestFound>& found() const { return found_; }
  /// Why the question has no such size, in words; empty: it has.
  const QString& why_not() const { return why_not_; }

 signals:
  void changed();

 private:
  QString take(const Result<LargestFound>& found);

  QPointer<Jobs> jobs_;  ///< a window's session ends before its pages
  std::optional<Problem> problem_;
  std::optional<LargestFound> found_;
  QString why_not_;
  bool cancelled_ = false;
  int job_ = 0;
};

/// "number of layers".
QString size_text(SizeKind kind);

/// Why this profile has no such size, and what to do; empty: it may have.
QString no_such_size(const Profile& profile, SizeKind kind);

/// The plan of the answer, taken into the project with its profile and cluster where these are new; `id` is the plan's.
Added with_largest(const ProjectState& state, const LargestFound& found);

}  // namespace pipedeck::app
