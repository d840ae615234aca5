// SPDX-License-Identifier: GPL-3.0-or-later
// A single background task of the window. A new task replaces the running one. Results for a destroyed owner are
// dropped.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include <QObject>

namespace pipedeck::models {

class BackgroundTask : public QObject {
  Q_OBJECT

 public:
  explicit BackgroundTask(QObject* parent = nullptr);
  ~BackgroundTask() override;

  /// Runs `work` on another thread. The function that it returns then runs on this object's thread, unless another task
  /// was started or this one was cancelled meanwhile.
  using OnFinished = std::function<void()>;
  void start(std::function<OnFinished(const std::stop_token&)> work);
  void cancel();
  bool running() const { return running_; }

 private:
  struct CallbackGuard;  ///< delivers results; closed when this object is destroyed
  void finished(std::uint64_t generation, const OnFinished& finish);

  std::shared_ptr<CallbackGuard> guard_;
  std::stop_source stop_;
  std::uint64_t generation_ = 0;
  bool running_ = false;
};

}  // namespace pipedeck::models
