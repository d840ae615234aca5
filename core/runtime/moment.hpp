// SPDX-License-Identifier: Apache-2.0
// When something is done: told by the host's clock, or by a mark in the work that was given to a device, which is
// reached later. Both are times of one clock in the end, so that timelines of processors and devices look alike.
#pragma once

#include <chrono>
#include <memory>

namespace pipedeck {

using RunClock = std::chrono::steady_clock;

/// A point in the work that was given to a device.
class Mark {
 public:
  virtual ~Mark() = default;
  /// When the work before it was done. Waits for it; throws what the device's work failed with.
  virtual RunClock::time_point reached() const = 0;
};

class Moment {
 public:
  Moment() = default;
  Moment(RunClock::time_point time) : host_(time) {}  // NOLINT: a time is a moment
  explicit Moment(std::shared_ptr<const Mark> mark) : mark_(std::move(mark)) {}

  /// Waits where it is still to come.
  RunClock::time_point time() const { return mark_ ? mark_->reached() : host_; }
  /// Null: the host's clock told it, and it is past.
  const std::shared_ptr<const Mark>& mark() const { return mark_; }

 private:
  RunClock::time_point host_{};
  std::shared_ptr<const Mark> mark_;
};

}  // namespace pipedeck
