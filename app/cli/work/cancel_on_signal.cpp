// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/cancel_on_signal.hpp"

#include <unistd.h>

#include "core/base/result.hpp"

namespace pipedeck::cli::work {
namespace {

constexpr int finished_signal = SIGUSR1;  // sent by the destructor, to our own waiter only

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, finished_signal}) sigaddset(&set, number);
  return set;
}

void wait_for_signals(std::stop_source source) {
  const sigset_t watched = watched_signals();
  int received = 0;
  while (sigwait(&watched, &received) == 0 && received != finished_signal) {
    if (source.stop_requested()) _exit(exit_status(ErrorCode::cancelled));
    source.request_stop();
  }
}

}  // namespace

CancelOnSignal::CancelOnSignal() {
  const sigset_t watched = watched_signals();
  pthread_sigmask(SIG_BLOCK, &watched, &before_);  // inherited by every thread started from here on
  waiter_ = std::thread(wait_for_signals, source_);
}

CancelOnSignal::~CancelOnSignal() {
  pthread_kill(waiter_.native_handle(), finished_signal);
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace pipedeck::cli::work
