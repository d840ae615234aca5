// SPDX-License-Identifier: Apache-2.0
// Batch normalisation (Ioffe and Szegedy, 2015): every channel gets mean 0 and variance 1 over all pixels of the
// available samples, then a gain and a shift. These are a device's share of a micro-batch: replicas do not share
// statistics. Parameters: gains, then shifts.
#pragma once

#include <cstdint>

#include "core/runtime/layers/shapes.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cpu {

class BatchNormPasses {
 public:
  explicit BatchNormPasses(std::int64_t channels) : channels_(channels) {}

  std::int64_t parameters() const { return 2 * channels_; }
  void initialise(float* parameters) const { layers::initialise_batch_norm(parameters, channels_); }

  tensor::Tensor forward(const tensor::Tensor& input, const float* parameters, layers::ColumnStatistics& kept) const;
  /// Replaces `gradient` (of the output) by the input's. Returns the gradients of gains and shifts, which are sums that
  /// the input's gradient needs anyway.
  tensor::Tensor backward(tensor::Tensor& gradient, const tensor::Tensor& input,
                          const layers::ColumnStatistics& statistics, const float* parameters) const;

 private:
  std::int64_t rows(const tensor::Tensor& tensor) const { return tensor.size() / channels_; }
  std::int64_t channels_;
};

}  // namespace pipedeck::runtime::cpu
