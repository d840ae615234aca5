// SPDX-License-Identifier: Apache-2.0
// The GPU operations of the layers in core/runtime/layers.
#pragma once

#include "core/runtime/cpu/activation.hpp"
#include "core/runtime/cuda/image_passes.hpp"
#include "core/runtime/layers/lstm_by_steps.hpp"

namespace pipedeck::cuda {

struct OnGpu {
  using Convolution = ConvolutionPasses;
  using Norm = BatchNormPasses;

  static Tensor activate(Activation activation, const Tensor& in);
  static void activate_backward(Activation activation, Tensor& gradient, const Tensor& in);
  static void relu_in_place(Tensor& values);
  /// Adds to rows of `columns` values.
  static void add_bias(Tensor& values, const float* bias, std::int64_t columns);
  static void add_column_sums(float* sums, const Tensor& values, std::int64_t columns);

  /// result = keep * result + left * right, on the tensor's device, with floats for every precision.
  static void multiply(const Tensor& where, const ProductRows& size, Matrix left, Matrix right, float* result,
                       std::int64_t result_stride, float keep = 0);
  static void lstm_step(const Tensor& where, const LstmStep& step);
  static void lstm_step_backward(const Tensor& where, const LstmStepBackward& step);
};

}  // namespace pipedeck::cuda
