// SPDX-License-Identifier: Apache-2.0
// The loss: cross-entropy of the softmax of the last layer's output, at each position. Where the classes are cut over
// the devices of a replica (Whale's split classifier: Jia et al., ATC 2022), the largest logit, the sum of the
// exponentials and the target's logit are reduced, three numbers a position; the logits stay where they are.
#pragma once

#include <optional>

#include "core/domain/model.hpp"
#include "core/domain/result.hpp"
#include "core/runtime/shard.hpp"
#include "core/runtime/tensor.hpp"

namespace pipedeck {

class SoftmaxCrossEntropy {
 public:
  /// The model's last layer must be one, and take what the layer before it gives (`input_width` values a sample).
  static Result<SoftmaxCrossEntropy> of(const ModelSpec& model, std::int64_t input_width);

  /// For logits of the own classes alone, as `partners` cut them.
  SoftmaxCrossEntropy over(const Partners& partners) const;

  std::int64_t classes() const { return classes_; }
  std::int64_t sequence() const { return sequence_; }
  const std::optional<Partners>& partners() const { return partners_; }  ///< empty: all classes are at hand

  /// Sum over samples and positions, the same on all partners. `logits` becomes its gradient but for the scale: what
  /// backward needs, in place.
  double forward(Tensor& logits, const Tensor& targets) const;
  /// The gradient of scale * the sum.
  Tensor backward(Tensor saved, float scale) const;

 private:
  SoftmaxCrossEntropy(std::int64_t classes, std::int64_t sequence) : classes_(classes), sequence_(sequence) {}
  std::int64_t target_at(const Tensor& targets, std::int64_t row) const;
  double forward_over(Tensor& logits, const Tensor& targets) const;

  std::int64_t classes_, sequence_;
  std::optional<Partners> partners_;
};

}  // namespace pipedeck
