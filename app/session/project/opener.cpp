// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project/opener.hpp"

#include <chrono>
#include <future>
#include <utility>

#include <QEventLoop>
#include <QMetaObject>

namespace pipedeck::session::project {

namespace {

constexpr std::chrono::milliseconds unnoticed(100);
constexpr int at_once = 16;  ///< threads; all but one run reads that were cancelled

}  // namespace

Opener::Opener(work::Jobs& jobs, QObject* parent) : QObject(parent), jobs_(jobs) { pool_.setMaxThreadCount(at_once); }

Opener::~Opener() {
  stop_.request_stop();
  pool_.waitForDone();
}

void Opener::cancel() {
  if (!busy()) return;
  stop_.request_stop();
  emit ended(run_);
}

bool Opener::run(const QString& name, std::function<void(const std::stop_token&)> work) {
  stop_ = std::stop_source();
  name_ = name;
  const int number = ++run_;
  const auto done = std::make_shared<std::promise<void>>();
  const std::future<void> finished = done->get_future();
  pool_.start([this, number, done, stop = stop_.get_token(), work = std::move(work)] {
    work(stop);
    done->set_value();
    QMetaObject::invokeMethod(
        this, [this, number] { emit ended(number); }, Qt::QueuedConnection);
  });
  if (finished.wait_for(unnoticed) == std::future_status::ready) return true;
  job_ = jobs_.start_external(tr("Open %1").arg(name), [this] { cancel(); });
  QEventLoop loop;
  connect(this, &Opener::ended, &loop, [&loop, number](int run) {
    if (run == number) loop.quit();
  });
  emit changed();
  loop.exec();
  // The program may also have been asked to end.
  const bool cancelled =
      stop_.stop_requested() || finished.wait_for(std::chrono::milliseconds(0)) != std::future_status::ready;
  if (cancelled) stop_.request_stop();
  jobs_.end_external(std::exchange(job_, 0), cancelled ? work::JobState::cancelled : work::JobState::finished,
                     cancelled ? tr("cancelled") : tr("opened"));
  emit changed();
  return !cancelled;
}

}  // namespace pipedeck::session::project
