// SPDX-License-Identifier: Apache-2.0
// Work of a device that was captured once and is replayed with one call.
#pragma once

#include <stdexcept>

namespace pipedeck::runtime::tensor {

/// A captured sequence of work. Kernels, addresses and numbers are those of the capture.
class CapturedGraph {
 public:
  virtual ~CapturedGraph() = default;
  /// True if the device's own workspace is still at the captured address; otherwise it must not be launched.
  virtual bool valid() const = 0;
  /// Enqueues the work on the device that captured it, which must exist.
  virtual void launch() = 0;
};

/// An error with the reason why work cannot be captured: it is executed without a capture instead.
struct CaptureUnsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace pipedeck::runtime::tensor
