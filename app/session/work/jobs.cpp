// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/work/jobs.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>

#include <sys/resource.h>

#include <QMetaObject>
#include <QThread>

#include "app/text/in_qt.hpp"
#include "core/base/result.hpp"

namespace pipedeck::session::work {

namespace {
constexpr int progress_interval_ms = 50;
constexpr std::size_t max_listed = 50;
constexpr int at_once = 16;  ///< threads, more than a user starts jobs; the system shares the cores among them
constexpr int niceness = 15;

/// Lets all other threads precede the calling one, and the threads that it starts.
void yield_to_others() {
  static thread_local const bool yielding = ::setpriority(PRIO_PROCESS, 0, niceness) == 0;  // 0: this thread on Linux
  (void)yielding;
}
}  // namespace

struct Jobs::Job {
  JobInfo info;
  std::stop_source stop;
  std::function<void()> cancel_external;
  QElapsedTimer clock;

  // Written by the worker, polled by the ticker, so that frequent progress does not flood the window.
  std::mutex mutex;
  double progress = 0;
  std::string detail;
  bool paused = false;
  std::condition_variable_any resumed;

  void wait_while_paused(std::unique_lock<std::mutex>& lock) {
    resumed.wait(lock, stop.get_token(), [this] { return !paused; });
  }
};

Jobs::Jobs(QObject* parent) : QObject(parent) {
  pool_.setMaxThreadCount(std::max(at_once, QThread::idealThreadCount()));
  studies_.setMaxThreadCount(1);
  ticker_.setInterval(progress_interval_ms);
  connect(&ticker_, &QTimer::timeout, this, &Jobs::publish_progress);
}

Jobs::~Jobs() {
  cancel_all();
  pool_.waitForDone();
  studies_.waitForDone();
}

/// Returns a pointer that keeps the job: others started meanwhile may drop it from the list.
std::shared_ptr<Jobs::Job> Jobs::find(int id) const {
  const auto it = std::ranges::find_if(jobs_, [&](const auto& job) { return job->info.id == id; });
  return it == jobs_.end() ? nullptr : *it;
}

int Jobs::start_external(const QString& title, std::function<void()> cancel) {
  auto job = std::make_shared<Job>();
  job->info.id = next_id_++;
  job->info.title = title;
  job->info.progress = -1;
  job->progress = -1;
  job->cancel_external = std::move(cancel);
  job->clock.start();
  jobs_.push_back(job);
  while (jobs_.size() > max_listed && jobs_.front()->info.state != JobState::running) jobs_.erase(jobs_.begin());
  ticker_.start();
  emit changed();
  return job->info.id;
}

int Jobs::start(const QString& title, Work work, Urgency urgency) {
  const int id = start_external(title, {});
  const std::shared_ptr<Job> job = find(id);  // a listener may have started others
  QThreadPool& pool = urgency == Urgency::study ? studies_ : pool_;
  pool.start([this, job, id, urgency, work = std::move(work)] {
    if (urgency == Urgency::study) yield_to_others();
    const Context context{job->stop.get_token(), [job](double done, std::string_view what) {
                            std::unique_lock lock(job->mutex);
                            job->progress = done;
                            job->detail = what;
                            job->wait_while_paused(lock);
                          }};
    {
      std::unique_lock lock(job->mutex);
      job->wait_while_paused(lock);  // it may have been paused before its turn came
    }
    Apply apply;
    QString broken;
    try {
      apply = work(context);
    } catch (const std::exception& error) {
      broken = QString::fromUtf8(error.what());
    }
    // The destructor waits for the pool, so `this` is valid here. Calls that are then still queued are dropped.
    QMetaObject::invokeMethod(
        this, [this, id, apply = std::move(apply), broken] { finish_on_owner(id, apply, broken); },
        Qt::QueuedConnection);
  });
  return id;
}

void Jobs::finish_on_owner(int id, const Apply& apply, const QString& broken) {
  auto job = find(id);
  if (!job || job->info.state != JobState::running) return;  // cancelled in the meantime: drop the result
  const QString title = job->info.title;
  QString failure = broken;
  QString text;
  if (failure.isEmpty() && apply) {
    try {
      text = apply();
    } catch (const std::exception& error) {
      failure = QString::fromUtf8(error.what());
    }
  }
  job = find(id);  // apply may have started other jobs
  if (job) end(*job, failure.isEmpty() ? JobState::finished : JobState::failed, failure.isEmpty() ? text : failure);
  if (!failure.isEmpty()) {
    emit internal_error(
        tr("Internal error"),
        tr("%1 failed: %2.\nThis is a bug of Pipedeck, not a fault of your input. Your work is unchanged.")
            .arg(title, failure));
  }
}

void Jobs::end(Job& job, JobState state, const QString& detail) {
  job.info.state = state;
  job.info.detail = detail;
  job.info.progress = state == JobState::finished ? 1.0 : job.info.progress;
  job.info.seconds = static_cast<double>(job.clock.elapsed()) / 1000.0;
  const int id = job.info.id;
  if (!any_running()) ticker_.stop();
  emit changed();
  emit ended(id, state);
}

void Jobs::update_external(int id, double progress, const QString& detail) {
  auto job = find(id);
  if (!job || job->info.state != JobState::running) return;
  const std::lock_guard lock(job->mutex);
  job->progress = progress;
  job->detail = detail.toStdString();
}

void Jobs::end_external(int id, JobState state, const QString& detail) {
  auto job = find(id);
  if (job && job->info.state == JobState::running) end(*job, state, detail);
}

void Jobs::cancel(int id) {
  auto job = find(id);
  if (!job || job->info.state != JobState::running) return;
  if (job->cancel_external) {
    job->cancel_external();  // its owner ends it when the process has exited
    return;
  }
  job->stop.request_stop();
  end(*job, JobState::cancelled, tr("cancelled"));
}

void Jobs::pause(int id, bool on) {
  auto job = find(id);
  if (!job || job->info.state != JobState::running || job->info.paused == on) return;
  {
    const std::lock_guard lock(job->mutex);
    job->paused = on;
  }
  job->resumed.notify_all();
  job->info.paused = on;
  if (any_running()) ticker_.start();
  emit changed();
}

void Jobs::cancel_all() {
  const auto jobs = jobs_;
  for (const auto& job : jobs) cancel(job->info.id);
}

void Jobs::forget_ended() {
  std::erase_if(jobs_, [](const auto& job) { return job->info.state != JobState::running; });
  emit changed();
}

bool Jobs::running(int id) const {
  const auto job = find(id);
  return job && job->info.state == JobState::running;
}

bool Jobs::any_running() const {
  return std::ranges::any_of(jobs_,
                             [](const auto& job) { return job->info.state == JobState::running && !job->info.paused; });
}

std::vector<JobInfo> Jobs::list() const {
  std::vector<JobInfo> infos;
  for (const auto& job : jobs_) infos.push_back(job->info);
  return infos;
}

void Jobs::publish_progress() {
  for (const auto& job : jobs_) {
    if (job->info.state != JobState::running) continue;
    const std::lock_guard lock(job->mutex);
    job->info.progress = job->progress;
    job->info.detail = text::to_qstring(job->detail);
    job->info.seconds = static_cast<double>(job->clock.elapsed()) / 1000.0;
  }
  emit changed();
}

}  // namespace pipedeck::session::work
