// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/window/end_on_signal.hpp"

#include <csignal>

#include <sys/eventfd.h>
#include <unistd.h>

#include <QSocketNotifier>

#include "app/session/work/temporary_folder.hpp"

namespace pipedeck::ui::window {
namespace {

int wake_up = -1;

/// Passes the signal's number to the event loop. The next signal has its default action.
extern "C" void wake(int number) {
  const eventfd_t value = static_cast<eventfd_t>(number);
  static_cast<void>(::write(wake_up, &value, sizeof value));
}

void catch_once(int number) {
  struct sigaction old {};
  if (::sigaction(number, nullptr, &old) != 0 || old.sa_handler == SIG_IGN) return;  // as nohup asks
  struct sigaction once {};
  once.sa_handler = wake;
  once.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  ::sigaction(number, &once, nullptr);
}

}  // namespace

EndOnSignal::EndOnSignal() {
  wake_up = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_up < 0) return;
  auto* notifier = new QSocketNotifier(wake_up, QSocketNotifier::Read, this);
  QObject::connect(notifier, &QSocketNotifier::activated, this, [] {
    eventfd_t number = 0;
    if (::read(wake_up, &number, sizeof number) != sizeof number) return;
    session::work::remove_temporary_folders();
    std::signal(static_cast<int>(number), SIG_DFL);
    std::raise(static_cast<int>(number));
  });
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) catch_once(number);
}

}  // namespace pipedeck::ui::window
