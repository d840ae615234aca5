// SPDX-License-Identifier: Apache-2.0
// The loss: cross-entropy of the softmax of the last layer's output, at each position.
#pragma once

#include "core/domain/model.hpp"
#include "core/domain/result.hpp"
#include "core/runtime/tensor.hpp"

namespace pipedeck {

class SoftmaxCrossEntropy {
 public:
  /// The model's last layer must be one, and take what the layer before it gives (`input_width` values a sample).
  static Result<SoftmaxCrossEntropy> of(const ModelSpec& model, std::int64_t input_width);

  std::int64_t classes() const { return classes_; }
  std::int64_t sequence() const { return sequence_; }

  /// Sum over samples and positions. `logits` becomes its gradient but for the scale: what backward needs, in place.
  double forward(Tensor& logits, const Tensor& targets) const;
  /// The gradient of scale * the sum.
  Tensor backward(Tensor saved, float scale) const;

 private:
  SoftmaxCrossEntropy(std::int64_t classes, std::int64_t sequence) : classes_(classes), sequence_(sequence) {}
  std::int64_t classes_, sequence_;
};

}  // namespace pipedeck
