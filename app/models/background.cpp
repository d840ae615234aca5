// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/background.hpp"

#include <mutex>
#include <utility>

#include <QMetaObject>
#include <QThreadPool>

namespace pipedeck::models {

struct Background::Door {
  std::mutex mutex;
  Background* owner = nullptr;
};

Background::Background(QObject* parent) : QObject(parent), door_(std::make_shared<Door>()) { door_->owner = this; }

Background::~Background() {
  stop_.request_stop();
  const std::lock_guard lock(door_->mutex);
  door_->owner = nullptr;
}

void Background::cancel() {
  stop_.request_stop();
  ++generation_;
  running_ = false;
}

void Background::start(std::function<Finish(const std::stop_token&)> work) {
  cancel();
  stop_ = std::stop_source();
  running_ = true;
  QThreadPool::globalInstance()->start(
      [work = std::move(work), token = stop_.get_token(), door = door_, generation = generation_] {
        if (token.stop_requested()) return;
        Finish finish = work(token);
        const std::lock_guard lock(door->mutex);
        if (!door->owner || token.stop_requested()) return;
        Background* owner = door->owner;
        QMetaObject::invokeMethod(
            owner, [owner, generation, finish = std::move(finish)] { owner->finished(generation, finish); },
            Qt::QueuedConnection);
      });
}

void Background::finished(std::uint64_t generation, const Finish& finish) {
  if (generation != generation_) return;
  running_ = false;
  if (finish) finish();
}

}  // namespace pipedeck::models
