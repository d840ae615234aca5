// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

namespace pipedeck::cli::work {

/// While it lives, the first SIGINT or SIGTERM asks the current work to stop. Work that does not within 0.8 s ends with
/// the program: it waits for a file, a pipe or a database, and no file is left half written. Work that saves something
/// first may take its time, but then waits for no reader of its output. A second signal ends the program at once. A
/// separate thread waits for the signals, since a signal handler may not do the work of a stop callback. Signals stay
/// blocked afterwards: work that is done keeps its exit status.
class CancelOnSignal {
 public:
  /// `saves_first`: called on the other thread; true while the work may take its time to stop.
  explicit CancelOnSignal(std::function<bool()> saves_first);
  ~CancelOnSignal();
  CancelOnSignal(const CancelOnSignal&) = delete;
  CancelOnSignal& operator=(const CancelOnSignal&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::thread waiter_;
};

}  // namespace pipedeck::cli::work
