// SPDX-License-Identifier: GPL-3.0-or-later
// A link from a job's threads to an object of the window's thread, valid during that object's lifetime.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include <QMetaObject>
#include <QObject>

namespace pipedeck::session::work {

struct CallbackGuard {
  std::mutex mutex;
  QObject* owner = nullptr;  ///< null once the object is destroyed

  /// Runs `what` on the owner's thread, if there still is one.
  void post(std::function<void()> what) {
    const std::lock_guard lock(mutex);
    if (owner) QMetaObject::invokeMethod(owner, std::move(what), Qt::QueuedConnection);
  }
  void close() {
    const std::lock_guard lock(mutex);
    owner = nullptr;
  }
};

}  // namespace pipedeck::session::work
