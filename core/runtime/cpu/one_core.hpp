// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <thread>

#include "core/runtime/cpu/matmul.hpp"

namespace pipedeck::runtime::cpu {

/// Runs `work` as a worker would: on a thread whose matrix products use one core. The caller's thread retains its own
/// setting. Returns when it is done; rethrows its exception.
inline void run_on_worker_thread(const std::function<void()>& work) {
  std::exception_ptr thrown;
  std::thread([&] {
    use_one_thread();
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  }).join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace pipedeck::runtime::cpu
