// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/background_task.hpp"

#include <mutex>
#include <utility>

#include <QMetaObject>
#include <QThreadPool>

namespace pipedeck::models {

struct BackgroundTask::CallbackGuard {
  std::mutex mutex;
  BackgroundTask* owner = nullptr;
};

BackgroundTask::BackgroundTask(QObject* parent) : QObject(parent), guard_(std::make_shared<CallbackGuard>()) {
  guard_->owner = this;
}

BackgroundTask::~BackgroundTask() {
  stop_.request_stop();
  const std::lock_guard lock(guard_->mutex);
  guard_->owner = nullptr;
}

void BackgroundTask::cancel() {
  stop_.request_stop();
  ++generation_;
  running_ = false;
}

void BackgroundTask::start(std::function<OnFinished(const std::stop_token&)> work) {
  cancel();
  stop_ = std::stop_source();
  running_ = true;
  QThreadPool::globalInstance()->start(
      [work = std::move(work), token = stop_.get_token(), door = guard_, generation = generation_] {
        if (token.stop_requested()) return;
        OnFinished finish = work(token);
        const std::lock_guard lock(door->mutex);
        if (!door->owner || token.stop_requested()) return;
        BackgroundTask* owner = door->owner;
        QMetaObject::invokeMethod(
            owner, [owner, generation, finish = std::move(finish)] { owner->finished(generation, finish); },
            Qt::QueuedConnection);
      });
}

void BackgroundTask::finished(std::uint64_t generation, const OnFinished& finish) {
  if (generation != generation_) return;
  running_ = false;
  if (finish) finish();
}

}  // namespace pipedeck::models
