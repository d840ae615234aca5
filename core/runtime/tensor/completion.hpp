// SPDX-License-Identifier: Apache-2.0
// Times of completion: a time of the host's clock, or an event in a stream that is reached later. Both are
// converted to one clock, so that timelines of CPUs and devices have the same form.
#pragma once

#include <chrono>
#include <memory>

namespace pipedeck::runtime::tensor {

using RunClock = std::chrono::steady_clock;

/// A point in the work enqueued on a device.
class StreamEvent {
 public:
  virtual ~StreamEvent() = default;
  /// Returns when the work before it was done. Waits for it; throws the error of the device's work.
  virtual RunClock::time_point wait_until_reached() const = 0;
};

class Completion {
 public:
  Completion() = default;
  Completion(RunClock::time_point time) : host_(time) {}  // NOLINT: a time is a completion
  explicit Completion(std::shared_ptr<const StreamEvent> event) : event_(std::move(event)) {}

  /// Returns the time. Waits if it is in the future.
  RunClock::time_point time() const { return event_ ? event_->wait_until_reached() : host_; }
  /// Returns the event, or null if it is a time of the host's clock.
  const std::shared_ptr<const StreamEvent>& event() const { return event_; }

 private:
  RunClock::time_point host_{};
  std::shared_ptr<const StreamEvent> event_;
};

}  // namespace pipedeck::runtime::tensor
