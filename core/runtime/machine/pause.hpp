// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <utility>

namespace pipedeck::runtime::machine {

/// A gate at which a run waits between two steps. Waiting threads sleep; any thread may open and close it.
class PauseGate {
 public:
  void pause() {
    set(true);
    const std::lock_guard lock(listening_);
    if (listener_) listener_();
  }
  void resume() { set(false); }
  bool paused() const {
    const std::lock_guard lock(mutex_);
    return paused_;
  }
  /// Returns when the gate is open, or when stopping was requested.
  void wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [this] { return !paused_; });
  }

  /// Sets the function that is called on each pause, on the thread that requests it; null: none.
  void listen(std::function<void()> listener) {
    const std::lock_guard lock(listening_);
    listener_ = std::move(listener);
  }

 private:
  void set(bool paused) {
    {
      const std::lock_guard lock(mutex_);
      paused_ = paused;
    }
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool paused_ = false;
  std::mutex listening_;
  std::function<void()> listener_;
};

}  // namespace pipedeck::runtime::machine
