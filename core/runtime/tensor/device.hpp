// SPDX-License-Identifier: Apache-2.0
// Compute devices of workers: they hold tensors in their memory and run the runtime's operations on them. By default it
// is the CPU, where work is done when a function returns. On another device functions enqueue work and return. A device
// runs its work in order. Its memory is only accessed through these functions and its kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/model/workload.hpp"
#include "core/runtime/tensor/captured_graph.hpp"
#include "core/runtime/tensor/completion.hpp"
#include "core/runtime/tensor/host_link.hpp"
#include "core/runtime/tensor/weight_copy.hpp"

namespace pipedeck::runtime::tensor {

class Tensor;

/// A step of an optimizer (optimizer.hpp), with its factors for that step.
struct UpdateRule {
  Optimizer kind = Optimizer::none;
  float rate = 0;               ///< Adam's: learning rate / (1 - beta1^t)
  float second_correction = 1;  ///< Adam's: 1 / (1 - beta2^t)
};

/// The values that a step changes: `count` floats each. Moments are null if the optimizer has none.
struct UpdatedValues {
  float* weights = nullptr;
  float* gradients = nullptr;  ///< are zeroed
  float* first = nullptr;
  float* second = nullptr;
  std::int64_t count = 0;
};

/// A device of one worker; any thread may call it. Functions throw the device's errors, possibly those of work that was
/// enqueued before.
class ComputeDevice {
 public:
  virtual ~ComputeDevice() = default;

  /// True if the host may access its memory and functions are synchronous.
  virtual bool on_host() const = 0;
  /// True if work on this device can access the other's memory; otherwise values are copied.
  virtual bool reaches(const ComputeDevice& other) const = 0;

  /// Throws OutOfMemory, or std::bad_alloc if the host has no more memory.
  virtual float* allocate(std::int64_t floats) = 0;
  virtual void deallocate(float* block) noexcept = 0;

  virtual void zero(std::span<float> values) = 0;
  /// Copies from any device's memory. The caller has waited (wait) for the work that computes `from`.
  virtual void copy(float* to, const float* from, std::int64_t count) = 0;
  /// Copies `rows` runs of `columns` floats within its own memory, with the given strides between runs.
  virtual void copy_rows(float* to, std::int64_t to_stride, const float* from, std::int64_t from_stride,
                         std::int64_t rows, std::int64_t columns) = 0;
  virtual void scale(std::span<float> values, float factor) = 0;
  virtual void add(float* to, const float* from, std::int64_t count) = 0;      ///< to += from
  virtual void largest(float* to, const float* from, std::int64_t count) = 0;  ///< to = max(to, from)
  /// Moves the biases that balance experts: biases -= rate * sign(excess), excess = 0 (DeepSeek-V3, arXiv 2412.19437,
  /// section 2.1.2). A bias whose excess is 0 stays.
  virtual void balance(float* biases, float* excess, float rate, std::int64_t count) = 0;
  virtual void update(const UpdateRule& rule, const UpdatedValues& values) = 0;
  /// Returns the number of floats to whose multiples a list of layers' parameters is padded.
  virtual std::int64_t parameter_alignment() const { return 1; }
  /// Returns a copy of weights for the products of passes; null: products take the weights as they are.
  virtual std::unique_ptr<WeightCopy> copy_of_weights(const Tensor&) { return nullptr; }
  /// Returns what the device has to report since the last call; empty: nothing.
  virtual std::string consume_warnings() { return {}; }
  /// Returns false if a value is infinite or NaN. Waits for all work enqueued before.
  virtual bool all_finite(std::span<const float> values) = 0;

  /// Fills `to` with floats that `write` writes to host memory before this function returns. `write` must write all.
  virtual void upload(std::span<float> to, const std::function<void(std::span<float>)>& write) = 0;
  /// Copies to the host. Waits for all work enqueued before.
  virtual void download(std::span<float> to, const float* from) = 0;

  /// Returns its way to pinned memory of the host; null: the host's memory is its own, or it has no such way.
  virtual HostLink* host_link() { return nullptr; }

  /// True if the device can capture work.
  virtual bool records() const { return false; }
  /// Captures the work that this thread enqueues in `work`, without executing it. `work` must not ask the device for
  /// memory or a completion, nor wait. Throws the exceptions of `work`, or the device's reason why it cannot capture.
  /// In either case nothing was executed.
  virtual std::unique_ptr<CapturedGraph> record(const std::function<void()>&) {
    throw CaptureUnsupported("this device records no work");
  }

  /// Returns the completion of all work enqueued so far.
  virtual Completion now() = 0;
  /// Makes work enqueued from now on wait for the completion, which may be another device's.
  virtual void wait(const Completion& moment) = 0;
  /// Returns when all work enqueued so far is done.
  virtual void synchronise() = 0;
};

/// Returns the CPU device, which is stateless and shared by all workers.
std::shared_ptr<ComputeDevice> cpu_device();

}  // namespace pipedeck::runtime::tensor
