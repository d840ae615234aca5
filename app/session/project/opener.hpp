// SPDX-License-Identifier: GPL-3.0-or-later
// A reader of project files on its own thread, so that no file blocks the window. It is shown and cancelled as a job.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stop_token>

#include <QObject>
#include <QString>
#include <QThreadPool>

#include "app/session/work/jobs.hpp"
#include "core/base/result.hpp"

namespace pipedeck::session::project {

class Opener : public QObject {
  Q_OBJECT

 public:
  explicit Opener(work::Jobs& jobs, QObject* parent = nullptr);
  ~Opener() override;  ///< cancels, and waits for reads that were cancelled before

  /// Returns true while events are processed until a file has been read.
  bool busy() const { return job_ != 0; }
  /// Returns the name of the file that is being read.
  const QString& name() const { return name_; }
  /// Ends the read at once: its result is dropped, even while its thread still runs.
  void cancel();

  /// Returns what `work` returns on another thread; `cancelled` if it was cancelled. A read that takes longer than an
  /// eye notices is announced by `changed`, and events are processed until it ends. Only one may run.
  template <class T>
  Result<T> read(const QString& name, std::function<Result<T>(const std::stop_token&)> work) {
    const auto result = std::make_shared<Result<T>>(fail(ErrorCode::cancelled, "cancelled"));
    const bool ended = run(name, [result, work = std::move(work)](const std::stop_token& stop) {
      try {
        *result = work(stop);
      } catch (const std::bad_alloc&) {
        *result = fail(ErrorCode::io, "out of memory");
      } catch (const std::exception& error) {
        *result = fail(ErrorCode::internal, error.what());
      }
    });
    return ended ? std::move(*result) : fail(ErrorCode::cancelled, "cancelled");
  }

 signals:
  void changed();  ///< `busy` changed
  void ended(int run);

 private:
  /// Returns false if it was cancelled.
  bool run(const QString& name, std::function<void(const std::stop_token&)> work);

  work::Jobs& jobs_;
  QThreadPool pool_;
  std::stop_source stop_;
  QString name_;
  int run_ = 0;
  int job_ = 0;
};

}  // namespace pipedeck::session::project
