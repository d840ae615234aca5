// SPDX-License-Identifier: Apache-2.0
// The loss on the CPU.
#pragma once

#include <memory>

#include "core/runtime/layers/loss_kernel.hpp"
#include "core/runtime/layers/softmax_cross_entropy.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cpu {

/// Returns the sum over samples and positions, equal on all partners. Replaces `logits` by its unscaled gradient, which
/// cross_entropy_gradient takes.
double cross_entropy(const layers::SoftmaxCrossEntropy& loss, tensor::Tensor& logits, const tensor::Tensor& targets);
/// Returns the gradient of factor * the sum.
tensor::Tensor cross_entropy_gradient(tensor::Tensor saved, float factor);

/// Returns the loss kernel of the CPU.
std::shared_ptr<const layers::LossKernel> processor_loss(const layers::SoftmaxCrossEntropy& loss);

}  // namespace pipedeck::runtime::cpu
