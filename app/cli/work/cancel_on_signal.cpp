// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/cancel_on_signal.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "app/cli/text/console.hpp"
#include "core/base/result.hpp"

namespace pipedeck::cli::work {
namespace {

using std::chrono::milliseconds;

constexpr int finished_signal = SIGUSR1;  // sent by the destructor, to our own waiter only
constexpr milliseconds patience{800}, look_up{20};

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, finished_signal}) sigaddset(&set, number);
  return set;
}

/// Returns the watched signal that comes within `longest`; 0 if there is none.
int next_signal(milliseconds longest) {
  const sigset_t watched = watched_signals();
  const timespec time{longest.count() / 1000, longest.count() % 1000 * 1'000'000};
  return std::max(0, sigtimedwait(&watched, nullptr, &time));
}

void wait_for_signals(std::stop_source source, const std::function<bool()>& saves_first) {
  int received = 0;
  while (received == 0) received = next_signal(milliseconds(60'000));
  if (received == finished_signal) return;
  source.request_stop();
  for (milliseconds left = patience, waited{0}; left.count() > 0; waited += look_up) {
    received = next_signal(look_up);
    if (received == finished_signal) return;
    if (received != 0) _exit(exit_status(ErrorCode::cancelled));
    left = saves_first() ? patience : left - look_up;
    if (left == patience && waited > patience) text::give_up_full_pipes();
  }
  text::print_last_note("stopped on request");
  _exit(exit_status(ErrorCode::cancelled));
}

}  // namespace

CancelOnSignal::CancelOnSignal(std::function<bool()> saves_first) {
  const sigset_t watched = watched_signals();
  pthread_sigmask(SIG_BLOCK, &watched, nullptr);  // inherited by every thread started from here on
  waiter_ = std::thread(wait_for_signals, source_, std::move(saves_first));
}

CancelOnSignal::~CancelOnSignal() {
  pthread_kill(waiter_.native_handle(), finished_signal);
  waiter_.join();
}

}  // namespace pipedeck::cli::work
