// SPDX-License-Identifier: Apache-2.0
// Copies between a device and pinned memory of its host, which the device reads and writes by itself.
#pragma once

#include <cstdint>
#include <memory>

#include "core/runtime/tensor/completion.hpp"

namespace pipedeck::runtime::tensor {

class ComputeDevice;

/// A device's way to pinned memory of its host. Copies of each direction run in a queue of their own, in order, next to
/// the device's work. Functions throw the device's errors, and OutOfMemory if the host can pin no more memory.
class HostLink {
 public:
  virtual ~HostLink() = default;
  virtual float* allocate(std::int64_t floats) = 0;
  /// Waits for all copies before.
  virtual void deallocate(float* block) noexcept = 0;
  /// Enqueues a copy of `count` floats to the host's memory, after `ready`. Returns its completion.
  virtual Completion to_host(float* to, const float* from, std::int64_t count, const Completion& ready) = 0;
  /// Does so to the device's memory.
  virtual Completion to_device(float* to, const float* from, std::int64_t count, const Completion& ready) = 0;
};

/// Returns a CPU device whose memory is pinned for `device`, which has a host link.
std::shared_ptr<ComputeDevice> pinned_host(std::shared_ptr<ComputeDevice> device);

}  // namespace pipedeck::runtime::tensor
