// SPDX-License-Identifier: GPL-3.0-or-later
// A parser of run log lines off the GUI thread. Events arrive in their order, in parts small enough that the window can
// be drawn between them.
#pragma once

#include <vector>

#include <QByteArray>
#include <QFutureWatcher>
#include <QObject>
#include <QTimer>

#include "core/base/result.hpp"
#include "core/model/run.hpp"

namespace pipedeck::session::runs {

class EventReader : public QObject {
  Q_OBJECT

 public:
  explicit EventReader(QObject* parent = nullptr);
  ~EventReader() override;  ///< waits for the running parse

  void take(const QByteArray& line);
  /// Returns true if all events were emitted.
  bool idle() const { return waiting_.empty() && !reading_; }

 signals:
  /// Emits events; an invalid line becomes an error at its position.
  void read(const std::vector<pipedeck::Result<pipedeck::RunEvent>>& events);
  void became_idle();

 private:
  using Events = std::vector<Result<RunEvent>>;
  void start();
  void finish();
  void deliver();

  std::vector<QByteArray> waiting_;
  QFutureWatcher<Events> watcher_;
  Events ready_;  ///< the first `delivered_` are already emitted
  std::size_t delivered_ = 0;
  QTimer handing_on_;
  bool reading_ = false;
};

}  // namespace pipedeck::session::runs
