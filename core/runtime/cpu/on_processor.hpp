// SPDX-License-Identifier: Apache-2.0
// The CPU operations of the layers in core/runtime/layers.
#pragma once

#include "core/runtime/cpu/activation.hpp"
#include "core/runtime/cpu/batch_norm_passes.hpp"
#include "core/runtime/cpu/convolution_passes.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/layers/lstm_by_steps.hpp"

namespace pipedeck {

struct OnProcessor {
  using Convolution = ConvolutionPasses;
  using Norm = BatchNormPasses;

  static Tensor activate(Activation activation, const Tensor& in) { return pipedeck::activate(activation, in); }
  static void activate_backward(Activation activation, Tensor& gradient, const Tensor& in) {
    pipedeck::activate_backward(activation, gradient, in);
  }
  static void relu_in_place(Tensor& values) { pipedeck::relu_in_place(values.data(), values.size()); }
  /// Adds to rows of `columns` values.
  static void add_bias(Tensor& values, const float* bias, std::int64_t columns) {
    pipedeck::add_bias(values.data(), bias, values.size() / columns, columns);
  }
  static void add_column_sums(float* sums, const Tensor& values, std::int64_t columns) {
    pipedeck::add_column_sums(sums, values.data(), values.size() / columns, columns);
  }

  /// result = keep * result + left * right, on the tensor's device.
  static void multiply(const Tensor&, const ProductRows& size, Matrix left, Matrix right, float* result,
                       std::int64_t result_stride, float keep = 0) {
    pipedeck::multiply(size.rows, size.columns, size.inner, left, right, result, result_stride, keep);
  }
  static void lstm_step(const Tensor&, const LstmStep& step);
  static void lstm_step_backward(const Tensor&, const LstmStepBackward& step);
};

}  // namespace pipedeck
