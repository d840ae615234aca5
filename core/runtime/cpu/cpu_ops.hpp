// SPDX-License-Identifier: Apache-2.0
// The CPU operations of the layers in core/runtime/layers.
#pragma once

#include "core/runtime/cpu/activation.hpp"
#include "core/runtime/cpu/batch_norm_passes.hpp"
#include "core/runtime/cpu/convolution_passes.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/layers/lstm_by_steps.hpp"

namespace pipedeck::runtime::cpu {

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
