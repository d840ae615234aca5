// SPDX-License-Identifier: GPL-3.0-or-later
// A writer of project files on its own thread, so that a large file never blocks the window. Its content is immutable.
// It is shown and cancelled as a job.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QThreadPool>

#include "app/session/work/jobs.hpp"
#include "core/base/result.hpp"
#include "core/store/project_file.hpp"

namespace pipedeck::session::project {

class Saver : public QObject {
  Q_OBJECT

 public:
  explicit Saver(work::Jobs& jobs, QObject* parent = nullptr);
  ~Saver() override;  ///< waits for a running save

  bool busy() const { return job_ != 0; }
  double progress() const { return progress_; }  ///< in [0, 1]
  /// Starts a save; only one may run. `before_rename` is called on the writing thread before the final rename.
  void start(const QString& path, std::shared_ptr<const store::ProjectContent> content,
             std::function<void()> before_rename);
  /// Waits for the end; meanwhile, the window is drawn but takes no input.
  void wait();
  /// Waits for the end without an event loop, at the end of the program.
  void settle();
  bool waiting() const { return waiting_; }

 signals:
  void progressed();
  void ended(const std::optional<pipedeck::Error>& problem);

 private:
  void receive_progress(double done);
  void end(const Result<void>& written);

  work::Jobs& jobs_;
  QThreadPool pool_;
  std::stop_source stop_;
  QString name_;
  int job_ = 0;
  double progress_ = 0;
  bool waiting_ = false;
};

}  // namespace pipedeck::session::project
