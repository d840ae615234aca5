// SPDX-License-Identifier: GPL-3.0-or-later
// Background work: on a thread pool, with progress and a stop token; its result is applied on the thread of this
// object. A cancelled job's result is dropped at once, whatever its thread still does.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>

#include "core/domain/progress.hpp"

namespace pipedeck::app {

enum class JobState { running, finished, failed, cancelled };

struct JobInfo {
  int id = 0;
  QString title;
  QString detail;       ///< what it is doing, or how it ended
  double progress = 0;  ///< in [0, 1]; below 0: not known
  JobState state = JobState::running;
  double seconds = 0;
};

class Jobs : public QObject {
  Q_OBJECT

 public:
  struct Context {
    std::stop_token stop;
    Progress progress;
  };
  /// What to do with the result; runs on this object's thread, and only if the job was not cancelled. Text: how it
  /// ended, for the list.
  using Apply = std::function<QString()>;
  using Work = std::function<Apply(const Context&)>;

  explicit Jobs(QObject* parent = nullptr);
  ~Jobs() override;  ///< stops everything and waits

  int start(const QString& title, Work work);
  /// Work that has its own process: the caller tells how it goes.
  int start_external(const QString& title, std::function<void()> cancel);
  void update_external(int id, double progress, const QString& detail);
  void end_external(int id, JobState state, const QString& detail);

  void cancel(int id);
  void cancel_all();
  bool running(int id) const;
  bool any_running() const;
  /// Newest last; ended ones are kept for a while (the last 50).
  std::vector<JobInfo> list() const;

 signals:
  void changed();
  void ended(int id, pipedeck::app::JobState state);
  /// A broken invariant in a job: this job is lost, nothing else is.
  void internal_error(const QString& title, const QString& text);

 private:
  struct Job;
  Job* find(int id) const;
  void end(Job& job, JobState state, const QString& detail);
  void finish_on_owner(int id, const Apply& apply, const QString& broken);
  void publish_progress();

  QThreadPool pool_;
  QTimer ticker_;
  std::vector<std::shared_ptr<Job>> jobs_;
  int next_id_ = 1;
};

}  // namespace pipedeck::app
