// SPDX-License-Identifier: GPL-3.0-or-later
// How long a window did not answer: a timer that wants to be called every few milliseconds notes its longest wait.
#pragma once

#include <algorithm>

#include <QElapsedTimer>
#include <QTimer>

namespace pipedeck::app::test {

class LatencyProbe {
 public:
  LatencyProbe() {
    QObject::connect(&timer_, &QTimer::timeout, [this] {
      longest_ = std::max(longest_, clock_.nsecsElapsed());
      clock_.restart();
    });
    clock_.start();
    timer_.start(1);
  }
  /// Until now, the present wait included.
  double longest_ms() const { return static_cast<double>(std::max(longest_, clock_.nsecsElapsed())) / 1e6; }

 private:
  QTimer timer_;
  QElapsedTimer clock_;
  qint64 longest_ = 0;
};

}  // namespace pipedeck::app::test
