// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/batch_norm_passes.hpp"

#include <algorithm>

#include "core/runtime/cpu/image_kernels.hpp"

namespace pipedeck::runtime::cpu {

tensor::Tensor BatchNormPasses::forward(const tensor::Tensor& input, const float* parameters,
                                        layers::ColumnStatistics& kept) const {
  // One row would suffice, but predictions assume that saved tensors grow with the samples.
  kept.mean = tensor::Tensor(input.memory(), input.samples(), channels_);
  kept.inv_std = kept.mean.empty_like();
  column_statistics(kept.mean.data(), kept.inv_std.data(), input.data(), rows(input), channels_);
  tensor::Tensor out = input.empty_like();
  normalise_columns(out.data(), input.data(), kept.mean.data(), kept.inv_std.data(), parameters, parameters + channels_,
                    rows(input), channels_);
  return out;
}

tensor::Tensor BatchNormPasses::backward(tensor::Tensor& gradient, const tensor::Tensor& input,
                                         const layers::ColumnStatistics& statistics, const float* parameters) const {
  tensor::Tensor sums = tensor::Tensor::zeros(gradient.memory(), 1, 2 * channels_);
  normalise_columns_backward(gradient.data(), sums.data(), sums.data() + channels_, input.data(),
                             statistics.mean.data(), statistics.inv_std.data(), parameters, rows(input), channels_);
  return sums;
}

}  // namespace pipedeck::runtime::cpu
