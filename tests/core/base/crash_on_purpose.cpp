// SPDX-License-Identifier: Apache-2.0
// Crashes in the way that the first argument names; the second is the folder of reports. tst_crash_report runs it.
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "core/base/crash_report.hpp"

namespace {

/// Overflows the stack.
[[gnu::noinline]] int deepen(int depth) {
  volatile int here = depth;  // each call keeps its own, so that no loop replaces the calls
  return depth < 0 ? 0 : deepen(depth + 1) + here;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string_view kind = argv[1];
  pipedeck::report_crashes("crash_on_purpose", "1.2.3", argv[2]);
  if (kind == "address") *static_cast<volatile int*>(nullptr) = 1;
  if (kind == "thread") std::thread([] { *static_cast<volatile int*>(nullptr) = 1; }).join();
  if (kind == "illegal") __builtin_trap();
  if (kind == "abort") std::abort();
  if (kind == "exception") throw std::runtime_error("secret text");
  if (kind == "stack") return deepen(0);
  if (kind == "bus") ::raise(SIGBUS);
  if (kind == "arithmetic") ::raise(SIGFPE);
  return 0;
}
