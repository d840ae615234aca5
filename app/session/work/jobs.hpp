// SPDX-License-Identifier: GPL-3.0-or-later
// Background work on a thread pool, with progress and a stop token. Its result is applied on the thread of this object.
// The result of a cancelled job is dropped immediately, even while its thread is still running.
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

#include "core/base/progress.hpp"

namespace pipedeck::session::work {

enum class JobState { running, finished, failed, cancelled };

/// The urgency of a job. A job that the user waits for starts at once, whatever else runs. Studies share one thread,
/// which yields the processor to all others.
enum class Urgency { waited_for, study };

struct JobInfo {
  int id = 0;
  QString title;
  QString detail;       ///< its current activity, or its result
  double progress = 0;  ///< in [0, 1]; below 0: unknown
  JobState state = JobState::running;
  double seconds = 0;
  bool paused = false;  ///< a study that stands still while its page is hidden
};

class Jobs : public QObject {
  Q_OBJECT

 public:
  struct Context {
    std::stop_token stop;
    Progress progress;
  };
  /// Applies the result on this object's thread unless the job was cancelled. Returns a text about the result for the
  /// list.
  using Apply = std::function<QString()>;
  using Work = std::function<Apply(const Context&)>;

  explicit Jobs(QObject* parent = nullptr);
  ~Jobs() override;  ///< cancels everything and waits

  int start(const QString& title, Work work, Urgency urgency = Urgency::waited_for);
  /// Adds a job with its own process; the caller reports its progress and end.
  int start_external(const QString& title, std::function<void()> cancel);
  void update_external(int id, double progress, const QString& detail);
  void end_external(int id, JobState state, const QString& detail);

  void cancel(int id);
  void cancel_all();
  /// Drops the ended jobs from the list.
  void forget_ended();
  /// Lets a job stand still at its next progress report, or continue.
  void pause(int id, bool on);
  bool running(int id) const;
  /// Returns true if a job makes progress; a paused one does not.
  bool any_running() const;
  /// Returns the jobs, newest last; at most 50, so that older ended jobs are dropped.
  std::vector<JobInfo> list() const;

 signals:
  void changed();
  void ended(int id, work::JobState state);
  /// Reports an exception in a job. Only this job is lost.
  void internal_error(const QString& title, const QString& text);

 private:
  struct Job;
  std::shared_ptr<Job> find(int id) const;
  void end(Job& job, JobState state, const QString& detail);
  void finish_on_owner(int id, const Apply& apply, const QString& broken);
  void publish_progress();

  QThreadPool pool_;
  QThreadPool studies_;
  QTimer ticker_;
  std::vector<std::shared_ptr<Job>> jobs_;
  int next_id_ = 1;
};

}  // namespace pipedeck::session::work
