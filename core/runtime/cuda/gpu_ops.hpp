// SPDX-License-Identifier: Apache-2.0
// The GPU operations of the layers in core/runtime/layers.
#pragma once

#include "core/runtime/cuda/image_passes.hpp"
#include "core/runtime/layers/lstm_by_steps.hpp"
#include "core/runtime/layers/shapes.hpp"

namespace pipedeck::runtime::cuda {

struct GpuOps {
  using Convolution = ConvolutionPasses;
  using Norm = BatchNormPasses;

  static tensor::Tensor activate(layers::Activation activation, const tensor::Tensor& in);
  static void activate_backward(layers::Activation activation, tensor::Tensor& gradient, const tensor::Tensor& in);
  static void relu_in_place(tensor::Tensor& values);
  /// Adds to rows of `columns` values.
  static void add_bias(tensor::Tensor& values, const float* bias, std::int64_t columns);
  static void add_column_sums(float* sums, const tensor::Tensor& values, std::int64_t columns);

  /// result = keep * result + left * right, on the tensor's device, with floats for every precision.
  static void multiply(const tensor::Tensor& where, const layers::ProductRows& size, tensor::Matrix left,
                       tensor::Matrix right, float* result, std::int64_t result_stride, float keep = 0);
  static void lstm_step(const tensor::Tensor& where, const layers::LstmStep& step);
  static void lstm_step_backward(const tensor::Tensor& where, const layers::LstmStepBackward& step);
};

}  // namespace pipedeck::runtime::cuda
