// SPDX-License-Identifier: Apache-2.0
// The loss as a stage computes it. On a device it is asked for at the end of a step: nobody waits for it in between.
#pragma once

#include <memory>

#include "core/runtime/cpu/softmax_cross_entropy.hpp"
#include "core/runtime/tensor.hpp"

namespace pipedeck {

/// A sum of losses: a number, or a double that the device's work leaves in its memory.
class LossSum {
 public:
  LossSum() = default;
  explicit LossSum(double value) : value_(value) {}
  /// `there`: two floats wide, the bytes of a double.
  explicit LossSum(Tensor there) : there_(std::move(there)) {}

  /// Waits for the device's work.
  double get() const;
  Tensor& there() { return there_; }  ///< empty where it is a number

 private:
  double value_ = 0;
  Tensor there_;
};

class LossKernel {
 public:
  virtual ~LossKernel() = default;
  /// Sum over samples and positions. `logits` becomes its gradient but for the scale: what backward needs, in place.
  virtual LossSum forward(Tensor& logits, const Tensor& targets) const = 0;
  /// The gradient of scale * the sum.
  virtual Tensor backward(Tensor saved, float scale) const = 0;
};

/// The processor's.
std::shared_ptr<const LossKernel> processor_loss(const SoftmaxCrossEntropy& loss);

}  // namespace pipedeck
