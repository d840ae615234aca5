// SPDX-License-Identifier: Apache-2.0
// What a worker computes on: whose memory tensors lie in, and what the runtime itself does to them. By default that is
// the processor, where a function's work is done when it returns. On another device functions give work to a queue and
// return; work of one device runs in the order in which it was given, and what lies in its memory is touched through
// these functions and its kernels alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/domain/workload.hpp"
#include "core/runtime/moment.hpp"
#include "core/runtime/recorded_work.hpp"

namespace pipedeck {

/// One step of an optimizer (optimizer.hpp), its factors for that step worked out.
struct UpdateRule {
  Optimizer kind = Optimizer::none;
  float rate = 0;               ///< Adam's: learning rate / (1 - beta1^t)
  float second_correction = 1;  ///< Adam's: 1 / (1 - beta2^t)
};

/// What a step changes: `count` floats each; moments are null where the optimizer has none.
struct UpdatedValues {
  float* weights = nullptr;
  float* gradients = nullptr;  ///< become zero
  float* first = nullptr;
  float* second = nullptr;
  std::int64_t count = 0;
};

/// Made for one worker; any thread may call it. Functions throw what the device fails with, possibly what work that was
/// given before has failed with.
class ComputeDevice {
 public:
  virtual ~ComputeDevice() = default;

  /// The host may touch its memory, and work is done when a function returns.
  virtual bool on_host() const = 0;
  /// Whether work here can use what lies in the other's memory: else it is copied.
  virtual bool reaches(const ComputeDevice& other) const = 0;

  /// Throws OutOfMemory, or std::bad_alloc where the host has no more.
  virtual float* allocate(std::int64_t floats) = 0;
  virtual void deallocate(float* block) noexcept = 0;

  virtual void zero(std::span<float> values) = 0;
  /// From where any device has it: its work up to when it had that was waited for (wait).
  virtual void copy(float* to, const float* from, std::int64_t count) = 0;
  /// `rows` runs of `columns` floats, as far apart as the strides say, of its own memory.
  virtual void copy_rows(float* to, std::int64_t to_stride, const float* from, std::int64_t from_stride,
                         std::int64_t rows, std::int64_t columns) = 0;
  virtual void scale(std::span<float> values, float factor) = 0;
  virtual void add(float* to, const float* from, std::int64_t count) = 0;      ///< to += from
  virtual void largest(float* to, const float* from, std::int64_t count) = 0;  ///< to = max(to, from)
  virtual void update(const UpdateRule& rule, const UpdatedValues& values) = 0;

  /// `write` fills so many floats that the host may touch, all of them, before this returns.
  virtual void upload(std::span<float> to, const std::function<void(std::span<float>)>& write) = 0;
  /// Waits for all work given before.
  virtual void download(std::span<float> to, const float* from) = 0;

  /// Whether it records work at all.
  virtual bool records() const { return false; }
  /// What this thread gives to the device in `work`, recorded and not done. `work` neither asks the device for memory
  /// or a moment, nor waits. Throws what `work` throws, or the device's reason why it records nothing of it:
  /// whatever is thrown, nothing was done.
  virtual std::unique_ptr<RecordedWork> record(const std::function<void()>&) {
    throw CannotRecord("this device records no work");
  }

  /// When all work given so far is done.
  virtual Moment now() = 0;
  /// Work given from now on waits for the moment, which may be another device's.
  virtual void wait(const Moment& moment) = 0;
  /// Returns when all work given so far is done.
  virtual void synchronise() = 0;
};

/// The processor: one for all workers, for it keeps nothing.
std::shared_ptr<ComputeDevice> processor();

}  // namespace pipedeck
