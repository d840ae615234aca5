// SPDX-License-Identifier: Apache-2.0
// How many mini-batches an asynchronous run takes: as many as it was asked for, or, when it is stopped, those that any
// device has begun, up to whole steps. Nothing is dropped: what was begun is finished everywhere.
#pragma once

#include <algorithm>
#include <mutex>

namespace pipedeck {

class Admission {
 public:
  /// `step`: mini-batches of a step, of which `end` is a multiple.
  Admission(int end, int step) : end_(end), step_(step) {}

  /// Whether mini-batch `b`, and so all before it, will be run through all stages. Whoever was told so once can rely
  /// on it.
  bool admit(int b) {
    const std::lock_guard lock(mutex_);
    if (b >= end_) return false;
    begun_ = std::max(begun_, b + 1);
    return true;
  }

  int end() {
    const std::lock_guard lock(mutex_);
    return end_;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    end_ = std::min(end_, (begun_ + step_ - 1) / step_ * step_);
  }

 private:
  std::mutex mutex_;
  int begun_ = 0, end_, step_;
};

}  // namespace pipedeck
