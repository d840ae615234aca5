// SPDX-License-Identifier: Apache-2.0
// The CPU operations of the layers in core/runtime/layers.
#pragma once

#include <cstdint>

#include "core/runtime/cpu/convolution_passes.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/layers/lstm_by_steps.hpp"
#include "core/runtime/layers/shapes.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cpu {

/// Batch normalisation (Ioffe and Szegedy, 2015): every channel gets mean 0 and variance 1 over all pixels of the
/// available samples, then a gain and a shift. These are a device's share of a micro-batch: replicas do not share
/// statistics. Parameters: gains, then shifts.
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

/// Returns the activation of `in` in a new tensor.
tensor::Tensor activate(layers::Activation activation, const tensor::Tensor& in);
/// Replaces `gradient` by that of the activation's input.
void activate_backward(layers::Activation activation, tensor::Tensor& gradient, const tensor::Tensor& in);

struct CpuOps {
  using Convolution = ConvolutionPasses;
  using Norm = BatchNormPasses;

  static tensor::Tensor activate(layers::Activation activation, const tensor::Tensor& in) {
    return cpu::activate(activation, in);
  }
  static void activate_backward(layers::Activation activation, tensor::Tensor& gradient, const tensor::Tensor& in) {
    cpu::activate_backward(activation, gradient, in);
  }
  static void relu_in_place(tensor::Tensor& values) { cpu::relu_in_place(values.data(), values.size()); }
  /// Adds to rows of `columns` values.
  static void add_bias(tensor::Tensor& values, const float* bias, std::int64_t columns) {
    cpu::add_bias(values.data(), bias, values.size() / columns, columns);
  }
  static void add_column_sums(float* sums, const tensor::Tensor& values, std::int64_t columns) {
    cpu::add_column_sums(sums, values.data(), values.size() / columns, columns);
  }

  /// result = keep * result + left * right, on the tensor's device.
  static void multiply(const tensor::Tensor&, const layers::ProductRows& size, tensor::Matrix left,
                       tensor::Matrix right, float* result, std::int64_t result_stride, float keep = 0) {
    cpu::multiply(size.rows, size.columns, size.inner, left, right, result, result_stride, keep);
  }
  static void lstm_step(const tensor::Tensor&, const layers::LstmStep& step);
  static void lstm_step_backward(const tensor::Tensor&, const layers::LstmStepBackward& step);
};

}  // namespace pipedeck::runtime::cpu
