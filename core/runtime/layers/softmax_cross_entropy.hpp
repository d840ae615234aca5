// SPDX-License-Identifier: Apache-2.0
// The loss: cross-entropy of the softmax of the last layer's output, at each position. If the classes are sharded over
// the devices of a replica (Whale's split classifier: Jia et al., ATC 2022), the ranks reduce three numbers per
// position. These are the largest logit, the sum of the exponentials and the target's logit. The logits are not moved.
#pragma once

#include <optional>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/runtime/layers/shard.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::layers {

/// A loss's sizes, and the tensor-parallel group that its classes are sharded over.
class SoftmaxCrossEntropy {
 public:
  /// Creates the loss. The model's last layer must be one, and accept the previous layer's output (`input_width` values
  /// per sample).
  static Result<SoftmaxCrossEntropy> of(const ModelSpec& model, std::int64_t input_width);

  /// Returns the loss for the rank's own classes, as `partners` shard them.
  SoftmaxCrossEntropy over(const TensorParallelGroup& partners) const;

  /// Returns the loss of `sequence` positions of every sample.
  SoftmaxCrossEntropy of_positions(std::int64_t sequence) const;

  std::int64_t classes() const { return classes_; }
  std::int64_t sequence() const { return sequence_; }
  const std::optional<TensorParallelGroup>& partners() const { return partners_; }  ///< empty: all classes are local

 private:
  SoftmaxCrossEntropy(std::int64_t classes, std::int64_t sequence) : classes_(classes), sequence_(sequence) {}

  std::int64_t classes_, sequence_;
  std::optional<TensorParallelGroup> partners_;
};

}  // namespace pipedeck::runtime::layers
