// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/runs/event_reader.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <QtConcurrentRun>

#include "core/io/documents/formats.hpp"

namespace pipedeck::session::runs {

namespace {

constexpr std::size_t max_at_a_time = 256;

}  // namespace

EventReader::EventReader(QObject* parent) : QObject(parent) {
  connect(&watcher_, &QFutureWatcher<Events>::finished, this, &EventReader::finish);
  connect(&handing_on_, &QTimer::timeout, this, &EventReader::deliver);
  handing_on_.setSingleShot(true);
}

EventReader::~EventReader() { watcher_.waitForFinished(); }

void EventReader::take(const QByteArray& line) {
  waiting_.push_back(line);
  if (!reading_) start();
}

/// Parses one batch at a time to preserve the order of events. Lines that arrive in the meantime form the next one.
void EventReader::start() {
  reading_ = true;
  watcher_.setFuture(QtConcurrent::run([lines = std::exchange(waiting_, {})] {
    Events events;
    events.reserve(lines.size());
    for (const QByteArray& line : lines) events.push_back(io::documents::event_from_json(line.toStdString()));
    return events;
  }));
}

void EventReader::finish() {
  ready_ = watcher_.result();
  delivered_ = 0;
  deliver();
}

/// Emits a part in each turn of the event loop, so that the window is drawn in between. This needs a timer, since
/// queued calls would all run before the window's other timers.
void EventReader::deliver() {
  const auto begin = ready_.begin() + static_cast<std::ptrdiff_t>(delivered_);
  const std::size_t count = std::min(max_at_a_time, ready_.size() - delivered_);
  const Events part(std::make_move_iterator(begin),
                    std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(count)));
  delivered_ += count;
  const bool more = delivered_ < ready_.size();
  if (more) {
    handing_on_.start(0);
  } else {
    reading_ = false;
    ready_.clear();
    if (!waiting_.empty()) start();
  }
  emit read(part);
  if (idle()) emit became_idle();
}

}  // namespace pipedeck::session::runs
