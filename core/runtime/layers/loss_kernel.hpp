// SPDX-License-Identifier: Apache-2.0
// The loss as a stage computes it. On a device its value is read at the end of a step, so that no pass waits for it.
#pragma once

#include <memory>

#include "core/runtime/layers/softmax_cross_entropy.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::layers {

/// A sum of losses: a number, or a double in device memory that the device's work writes.
class LossSum {
 public:
  LossSum() = default;
  explicit LossSum(double value) : value_(value) {}
  /// `there` is two floats wide, the bytes of a double.
  explicit LossSum(tensor::Tensor there) : there_(std::move(there)) {}

  /// Returns the sum. Waits for the device's work.
  double get() const;
  tensor::Tensor& there() { return there_; }  ///< empty if it is a number

 private:
  double value_ = 0;
  tensor::Tensor there_;
};

class LossKernel {
 public:
  virtual ~LossKernel() = default;
  /// Returns the sum over samples and positions. Replaces `logits` by the gradient of `scale` times the sum. Rows of
  /// logits may be apart (SavedTensors::feeds_loss). If `narrow`, the gradient has the element and the rows that the
  /// device's products take.
  virtual LossSum forward(tensor::Tensor& logits, const tensor::Tensor& targets, float scale, bool narrow) const = 0;
};

}  // namespace pipedeck::runtime::layers
