// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace pipedeck {

/// Calls task(0..count-1) from several threads, including the caller's. Indices are started in ascending order.
/// Rethrows the first exception here after all threads have finished.
template <class Task>
void parallel_for(std::size_t count, int threads, const Task& task) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr first_failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        task(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first_failure) first_failure = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (int t = 1; t < threads && static_cast<std::size_t>(t) < count; ++t) helpers.emplace_back(work);
    work();
  }
  if (first_failure) std::rethrow_exception(first_failure);
}

}  // namespace pipedeck
