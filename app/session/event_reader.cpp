// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/event_reader.hpp"

#include <utility>

#include <QtConcurrentRun>

#include "core/io/json_formats.hpp"

namespace pipedeck::app {

EventReader::EventReader(QObject* parent) : QObject(parent) {
  connect(&watcher_, &QFutureWatcher<Events>::finished, this, &EventReader::finish);
}

EventReader::~EventReader() { watcher_.waitForFinished(); }

void EventReader::take(const QByteArray& line) {
  waiting_.push_back(line);
  if (!reading_) start();
}

/// One batch at a time, so that events keep their order; what comes meanwhile is the next one.
void EventReader::start() {
  reading_ = true;
  watcher_.setFuture(QtConcurrent::run([lines = std::exchange(waiting_, {})] {
    Events events;
    events.reserve(lines.size());
    for (const QByteArray& line : lines) events.push_back(event_from_json(line.toStdString()));
    return events;
  }));
}

void EventReader::finish() {
  const Events events = watcher_.result();
  reading_ = false;
  if (!waiting_.empty()) start();
  emit read(events);
  if (idle()) emit became_idle();
}

}  // namespace pipedeck::app
