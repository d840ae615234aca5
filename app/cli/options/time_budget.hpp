// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace pipedeck::cli::options {

/// While it lives, its token is requested once the seconds are over; never without seconds.
class TimeBudget {
 public:
  explicit TimeBudget(std::optional<double> seconds) {
    if (!seconds) return;
    clock_ = std::jthread([this, time = std::chrono::duration<double>(*seconds)](std::stop_token ended) {
      std::unique_lock lock(mutex_);
      const auto longest = std::chrono::duration<double>(std::chrono::hours(24 * 365));
      if (!sleeping_.wait_for(lock, ended, std::min(time, longest), [] { return false; }) && !ended.stop_requested())
        over_.request_stop();
    });
  }

  std::stop_token over() const { return over_.get_token(); }

 private:
  std::stop_source over_;
  std::mutex mutex_;
  std::condition_variable_any sleeping_;
  std::jthread clock_;  // the last member: it ends before what it uses
};

}  // namespace pipedeck::cli::options
