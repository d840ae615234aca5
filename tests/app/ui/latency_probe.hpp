// SPDX-License-Identifier: GPL-3.0-or-later
// How long a window did not answer: a timer that wants to be called every few milliseconds notes its longest wait.
#pragma once

#include <time.h>

#include <algorithm>

#include <QElapsedTimer>
#include <QTimer>

namespace pipedeck::test {

class LatencyProbe {
 public:
  LatencyProbe() {
    QObject::connect(&timer_, &QTimer::timeout, [this] {
      longest_ = std::max(longest_, clock_.nsecsElapsed());
      clock_.restart();
      const qint64 now = own_time();
      longest_own_ = std::max(longest_own_, now - own_);
      own_ = now;
    });
    clock_.start();
    timer_.start(1);
  }
  /// Until now, the present wait included.
  double longest_ms() const { return static_cast<double>(std::max(longest_, clock_.nsecsElapsed())) / 1e6; }
  /// Returns likewise the processor time of the window's thread, independent of other load.
  double longest_own_ms() const { return static_cast<double>(std::max(longest_own_, own_time() - own_)) / 1e6; }

 private:
  static qint64 own_time() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return qint64{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }

  QTimer timer_;
  QElapsedTimer clock_;
  qint64 longest_ = 0;
  qint64 longest_own_ = 0, own_ = own_time();
};

}  // namespace pipedeck::test
