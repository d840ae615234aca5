// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <stop_token>
#include <thread>

namespace pipedeck::cli::work {

/// While it lives, SIGINT and SIGTERM ask the current work to stop; a second one ends the program at once. A separate
/// thread waits for the signals, since a signal handler may not do the work of a stop callback.
class CancelOnSignal {
 public:
  CancelOnSignal();
  ~CancelOnSignal();
  CancelOnSignal(const CancelOnSignal&) = delete;
  CancelOnSignal& operator=(const CancelOnSignal&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  sigset_t before_;
  std::thread waiter_;
};

}  // namespace pipedeck::cli::work
