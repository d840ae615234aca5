// SPDX-License-Identifier: Apache-2.0
// A reusable barrier for the threads of a group.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "core/runtime/transport/control.hpp"

namespace pipedeck::runtime::transport {

class Barrier {
 public:
  Barrier(std::size_t members, RunControl& control) : members_(members), control_(control) {}

  /// Returns when all members have arrived. Throws Interrupted.
  void arrive_and_wait() {
    const unsigned meeting = meeting_;
    if (++present_ == members_) {
      present_ = 0;
      {
        const std::lock_guard lock(mutex_);
        ++meeting_;
      }
      met_.notify_all();
      return;
    }
    const auto met = [&] { return meeting_ != meeting; };
    control_.spin_until(met);
    if (met()) return;
    std::unique_lock lock(mutex_);
    control_.wait(lock, met_, met);
  }

 private:
  const std::size_t members_;
  RunControl& control_;
  std::mutex mutex_;
  std::condition_variable met_;
  std::atomic<std::size_t> present_{0};
  std::atomic<unsigned> meeting_{0};
};

}  // namespace pipedeck::runtime::transport
