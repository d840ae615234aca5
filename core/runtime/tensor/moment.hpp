// SPDX-License-Identifier: Apache-2.0
// Times of completion: a time of the host's clock, or a mark in a device's work that is reached later. Both are
// converted to one clock, so that timelines of CPUs and devices have the same form.
#pragma once

#include <chrono>
#include <memory>

namespace pipedeck::runtime::tensor {

using RunClock = std::chrono::steady_clock;

/// A point in the work enqueued on a device.
class Mark {
 public:
  virtual ~Mark() = default;
  /// Returns when the work before it was done. Waits for it; throws the error of the device's work.
  virtual RunClock::time_point reached() const = 0;
};

class Moment {
 public:
  Moment() = default;
  Moment(RunClock::time_point time) : host_(time) {}  // NOLINT: a time is a moment
  explicit Moment(std::shared_ptr<const Mark> mark) : mark_(std::move(mark)) {}

  /// Returns the time. Waits if it is in the future.
  RunClock::time_point time() const { return mark_ ? mark_->reached() : host_; }
  /// Returns the mark, or null if the moment is a past time of the host's clock.
  const std::shared_ptr<const Mark>& mark() const { return mark_; }

 private:
  RunClock::time_point host_{};
  std::shared_ptr<const Mark> mark_;
};

}  // namespace pipedeck::runtime::tensor
