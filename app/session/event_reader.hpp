// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of a run's log made into events off the window's thread, in their order, however fast they come; as
// many at a time as leave the window room to be drawn.
#pragma once

#include <vector>

#include <QByteArray>
#include <QFutureWatcher>
#include <QObject>
#include <QTimer>

#include "core/domain/result.hpp"
#include "core/domain/run.hpp"

namespace pipedeck::app {

class EventReader : public QObject {
  Q_OBJECT

 public:
  explicit EventReader(QObject* parent = nullptr);
  ~EventReader() override;  ///< waits for what is being read

  void take(const QByteArray& line);
  /// Everything taken has been handed on.
  bool idle() const { return waiting_.empty() && !reading_; }

 signals:
  /// A line that is no event is an error in its place.
  void read(const std::vector<pipedeck::Result<pipedeck::RunEvent>>& events);
  void became_idle();

 private:
  using Events = std::vector<Result<RunEvent>>;
  void start();
  void finish();
  void hand_on();

  std::vector<QByteArray> waiting_;
  QFutureWatcher<Events> watcher_;
  Events ready_;  ///< of which the first `handed_on_` were handed on
  std::size_t handed_on_ = 0;
  QTimer handing_on_;
  bool reading_ = false;
};

}  // namespace pipedeck::app
