// SPDX-License-Identifier: GPL-3.0-or-later
// One piece of work off the window's thread: what is started anew replaces what was under way, and what was asked for
// by something that is gone is dropped.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include <QObject>

namespace pipedeck::app {

class Background : public QObject {
  Q_OBJECT

 public:
  explicit Background(QObject* parent = nullptr);
  ~Background() override;

  /// Runs `work` on another thread; what it returns is run on this object's thread, unless something else was started
  /// or it was cancelled meanwhile.
  using Finish = std::function<void()>;
  void start(std::function<Finish(const std::stop_token&)> work);
  void cancel();
  bool running() const { return running_; }

 private:
  struct Door;  ///< through which results come; closed when this goes
  void finished(std::uint64_t generation, const Finish& finish);

  std::shared_ptr<Door> door_;
  std::stop_source stop_;
  std::uint64_t generation_ = 0;
  bool running_ = false;
};

}  // namespace pipedeck::app
