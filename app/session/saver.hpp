// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the project file on a thread of its own, so that a large one never holds the window up: what is written was
// put together before and nobody changes it. Shown and stopped as a job.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QThreadPool>

#include "app/session/jobs.hpp"
#include "core/domain/result.hpp"
#include "core/store/project_file.hpp"

namespace pipedeck::app {

class Saver : public QObject {
  Q_OBJECT

 public:
  explicit Saver(Jobs& jobs, QObject* parent = nullptr);
  ~Saver() override;  ///< waits: a save that was begun is finished

  bool busy() const { return job_ != 0; }
  double progress() const { return progress_; }  ///< in [0, 1]
  /// One at a time. `before_rename` runs on the thread that writes, when all but the rename is done.
  void start(const QString& path, std::shared_ptr<const ProjectContent> content, std::function<void()> before_rename);
  /// Until it ended; the window is drawn meanwhile and takes no input.
  void wait();
  /// Until it ended, without an event loop: for the end of the program.
  void settle();
  bool waiting() const { return waiting_; }

 signals:
  void progressed();
  void ended(const std::optional<pipedeck::Error>& problem);

 private:
  void take_progress(double done);
  void end(const Result<void>& written);

  Jobs& jobs_;
  QThreadPool pool_;
  std::stop_source stop_;
  QString name_;
  int job_ = 0;
  double progress_ = 0;
  bool waiting_ = false;
};

}  // namespace pipedeck::app
