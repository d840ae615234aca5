// SPDX-License-Identifier: Apache-2.0
// Batch normalisation (Ioffe and Szegedy, 2015): every channel gets mean 0 and variance 1 over all pixels of the
// samples at hand, then a gain and a shift. The samples at hand are a device's share of a micro-batch: replicas do not
// share statistics. Parameters: gains, then shifts.
#pragma once

#include <cstdint>

#include "core/runtime/tensor.hpp"

namespace pipedeck {

/// Mean and inverse deviation of each channel, kept for the backward pass.
struct ColumnStatistics {
  Tensor mean, inverse;
};

class BatchNormPasses {
 public:
  explicit BatchNormPasses(std::int64_t channels) : channels_(channels) {}

  std::int64_t parameters() const { return 2 * channels_; }
  void initialise(float* parameters) const;

  Tensor forward(const Tensor& input, const float* parameters, ColumnStatistics& kept) const;
  /// `gradient`, the output's, becomes the input's. Returns the gradients of gains and shifts: sums that the input's
  /// gradient is made of anyway.
  Tensor backward(Tensor& gradient, const Tensor& input, const ColumnStatistics& statistics,
                  const float* parameters) const;

 private:
  std::int64_t rows(const Tensor& tensor) const { return tensor.size() / channels_; }
  std::int64_t channels_;
};

}  // namespace pipedeck
