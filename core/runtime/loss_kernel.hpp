// SPDX-License-Identifier: Apache-2.0
// The loss as a stage computes it. On a device its value is read at the end of a step, so that no pass waits for it.
#pragma once

#include <memory>

#include "core/runtime/cpu/softmax_cross_entropy.hpp"
#include "core/runtime/tensor.hpp"

namespace pipedeck {

/// A sum of losses: a number, or a double in device memory that the device's work writes.
class LossSum {
 public:
  LossSum() = default;
  explicit LossSum(double value) : value_(value) {}
  /// `there` is two floats wide, the bytes of a double.
  explicit LossSum(Tensor there) : there_(std::move(there)) {}

  /// Returns the sum. Waits for the device's work.
  double get() const;
  Tensor& there() { return there_; }  ///< empty if it is a number

 private:
  double value_ = 0;
  Tensor there_;
};

class LossKernel {
 public:
  virtual ~LossKernel() = default;
  /// Returns the sum over samples and positions. Replaces `logits` by its unscaled gradient, which backward needs.
  virtual LossSum forward(Tensor& logits, const Tensor& targets) const = 0;
  /// Returns the gradient of scale * the sum.
  virtual Tensor backward(Tensor saved, float scale) const = 0;
};

/// Returns the loss kernel of the CPU.
std::shared_ptr<const LossKernel> processor_loss(const SoftmaxCrossEntropy& loss);

}  // namespace pipedeck
