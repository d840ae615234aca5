// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project/saver.hpp"

#include <exception>

#include <QCoreApplication>
#include <QEventLoop>
#include <QFileInfo>
#include <QMetaObject>

#include "app/text/in_qt.hpp"

namespace pipedeck::session::project {

namespace {

constexpr double min_step = 0.01;  // of progress, so that many small runs do not flood the window

}  // namespace

Saver::Saver(work::Jobs& jobs, QObject* parent) : QObject(parent), jobs_(jobs) { pool_.setMaxThreadCount(1); }

Saver::~Saver() { pool_.waitForDone(); }

void Saver::start(const QString& path, std::shared_ptr<const store::ProjectContent> content,
                  std::function<void()> before_rename) {
  stop_ = std::stop_source();
  name_ = QFileInfo(path).fileName();
  progress_ = 0;
  job_ = jobs_.start_external(tr("Save %1").arg(name_), [stop = stop_]() mutable { stop.request_stop(); });
  pool_.start([this, file = path.toStdString(), content = std::move(content), before_rename = std::move(before_rename),
               stop = stop_.get_token()] {
    double told = 0;
    const Progress progress = [&](double done, std::string_view) {
      if (done < told + min_step) return;
      told = done;
      QMetaObject::invokeMethod(
          this, [this, done] { receive_progress(done); }, Qt::QueuedConnection);
    };
    Result<void> written = fail(ErrorCode::internal, "no result");
    try {
      written = store::write_project(file, *content, progress, stop, before_rename);
    } catch (const std::exception& error) {
      written = fail(ErrorCode::internal, error.what());
    }
    QMetaObject::invokeMethod(
        this, [this, written] { end(written); }, Qt::QueuedConnection);
  });
}

void Saver::wait() {
  if (!busy()) return;
  const bool outermost = !waiting_;
  waiting_ = true;
  QEventLoop loop;
  connect(this, &Saver::ended, &loop, &QEventLoop::quit);
  loop.exec(QEventLoop::ExcludeUserInputEvents);
  if (outermost) waiting_ = false;
}

void Saver::settle() {
  while (busy()) {
    pool_.waitForDone();
    QCoreApplication::sendPostedEvents(this, QEvent::MetaCall);
  }
}

void Saver::receive_progress(double done) {
  progress_ = done;
  jobs_.update_external(job_, done, {});
  emit progressed();
}

void Saver::end(const Result<void>& written) {
  const bool cancelled = !written && written.error().code == ErrorCode::cancelled;
  const work::JobState state = written     ? work::JobState::finished
                               : cancelled ? work::JobState::cancelled
                                           : work::JobState::failed;
  const int job = job_;
  job_ = 0;
  jobs_.end_external(job, state,
                     written     ? tr("saved")
                     : cancelled ? tr("cancelled")
                                 : text::to_qstring(written.error()));
  emit ended(written ? std::nullopt : std::optional(written.error()));
}

}  // namespace pipedeck::session::project
