// SPDX-License-Identifier: Apache-2.0
// Work of a device that was recorded once and is done again with one call.
#pragma once

#include <stdexcept>

namespace pipedeck {

/// Kernels, addresses and numbers are those of when it was recorded.
class RecordedWork {
 public:
  virtual ~RecordedWork() = default;
  /// Whether the memory that the device adds to what it is given is still where it was: else it must not be launched.
  virtual bool valid() const = 0;
  /// Gives it to the queue of the device that recorded it, which lives.
  virtual void launch() = 0;
};

/// Why work can't be recorded: it is done as ever instead.
struct CannotRecord : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace pipedeck
