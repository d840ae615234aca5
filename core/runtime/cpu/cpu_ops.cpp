// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/cpu_ops.hpp"

#include <algorithm>

#include "core/runtime/cpu/image_kernels.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/lstm_kernels.hpp"

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

tensor::Tensor activate(layers::Activation activation, const tensor::Tensor& in) {
  tensor::Tensor out = in.empty_like();
  (activation == layers::Activation::gelu ? gelu : relu)(out.data(), in.data(), in.size());
  return out;
}

void activate_backward(layers::Activation activation, tensor::Tensor& gradient, const tensor::Tensor& in) {
  (activation == layers::Activation::gelu ? gelu_backward : relu_backward)(gradient.data(), in.data(), gradient.size());
}

void CpuOps::lstm_step(const tensor::Tensor&, const layers::LstmStep& s) {
  for (std::int64_t n = 0; n < s.samples; ++n)
    cpu::lstm_step(s.gates + n * s.gates_stride, s.cell + n * s.cell_stride, s.output + n * s.output_stride,
                   s.cell_before ? s.cell_before + n * s.cell_stride : nullptr, s.hidden);
}

void CpuOps::lstm_step_backward(const tensor::Tensor&, const layers::LstmStepBackward& s) {
  for (std::int64_t n = 0; n < s.samples; ++n)
    cpu::lstm_step_backward(s.gates + n * s.gates_stride, s.cell_gradient + n * s.hidden,
                            s.output_gradient + n * s.output_stride, s.cell + n * s.cell_stride,
                            s.cell_before ? s.cell_before + n * s.cell_stride : nullptr, s.hidden);
}

}  // namespace pipedeck::runtime::cpu
