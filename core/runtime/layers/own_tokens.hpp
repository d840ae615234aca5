// SPDX-License-Identifier: Apache-2.0
// A rank's tokens in a layer that is sharded inside (Korthikanti et al., arXiv 2205.05198, section 4.2.2): norms and
// residuals are of the rank's tokens, products of all. All-gathers and reduce-scatters take the place of sums over the
// ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "core/runtime/layers/shard.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::layers {

/// A range of the positions of every sample, or all of them. Tensors are samples x positions x columns.
class OwnTokens {
 public:
  /// `sequence`: positions of a whole sample; without partners the rank has the whole layer.
  OwnTokens(std::int64_t sequence, std::optional<TensorParallelGroup> partners)
      : sequence_(sequence), partners_(std::move(partners)) {}

  bool divided() const { return partners_ && partners_->shard().tokens; }
  std::int64_t positions() const { return divided() ? partners_->local_positions(sequence_).count : sequence_; }
  const std::optional<TensorParallelGroup>& partners() const { return partners_; }

  /// A tensor of all tokens: the one that the rank has, or gathered from the ranks.
  struct AllTokens {
    const tensor::Tensor* whole;
    tensor::Tensor gathered;
    const tensor::Tensor& operator*() const { return whole ? *whole : gathered; }
  };
  AllTokens all(const tensor::Tensor& own) const {
    if (!divided()) return {&own, {}};
    return {nullptr, partners_->gather_positions(own, sequence_)};
  }
  /// Replaces the gradient of the rank's tokens by that of all. Returns that of the rank's tokens; empty if it has all.
  tensor::Tensor gather_gradient(tensor::Tensor& gradient) const {
    if (!divided()) return {};
    tensor::Tensor own = std::move(gradient);
    gradient = partners_->gather_positions(own, sequence_);
    return own;
  }

  void sum_up(tensor::Tensor& tensor) const {
    if (partners_) partners_->all_reduce(tensor);
  }
  /// Sums a tensor of all tokens over the ranks, and leaves the rank's tokens.
  void sum(tensor::Tensor& tensor) const {
    if (!divided()) return sum_up(tensor);
    tensor = partners_->reduce_scatter_positions(tensor, sequence_);
  }
  /// Leaves the rank's tokens of a tensor that all ranks have.
  void keep_own(tensor::Tensor& tensor) const {
    if (divided()) tensor = partners_->scatter_positions(tensor, sequence_);
  }
  /// Sums gradients of a norm's weights, which each rank has of its tokens.
  void sum_own_gradients(std::span<float> of_norm) const {
    if (divided()) partners_->all_reduce(of_norm);
  }

 private:
  std::int64_t sequence_;
  std::optional<TensorParallelGroup> partners_;
};

}  // namespace pipedeck::runtime::layers
