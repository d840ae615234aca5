// SPDX-License-Identifier: Apache-2.0
// The GPU operations of the layers in core/runtime/layers.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/runtime/cuda/convolution.hpp"
#include "core/runtime/cuda/device.hpp"
#include "core/runtime/layers/lstm_by_steps.hpp"
#include "core/runtime/layers/shapes.hpp"

namespace pipedeck::runtime::cuda {

/// A layer's cache of one object for each device, such as a library's program for its shape.
template <class Kept>
class PerDevice {
 public:
  /// Returns the device's object. make(context) creates it on first use; then only that device's thread uses it.
  template <class Make>
  Kept& of(CudaDevice& device, const Make& make) const {
    const std::lock_guard lock(mutex_);
    auto& kept = kept_[&device];
    if (!kept) kept = make(device.context());
    return *kept;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::map<const CudaDevice*, std::unique_ptr<Kept>> kept_;
};

/// A convolution of tensors of floats, as cpu::ConvolutionPasses. With bf16 it reads and writes 16 bits.
class ConvolutionPasses {
 public:
  ConvolutionPasses(const layers::ConvolutionShape& shape, bool bias) : shape_(shape), bias_(bias) {}

  const layers::ConvolutionShape& shape() const { return shape_; }
  std::int64_t parameters() const { return shape_.weights() + (bias_ ? shape_.out : 0); }

  tensor::Tensor forward(const tensor::Tensor& input, const float* parameters) const;
  tensor::Tensor backward_input(const tensor::Tensor& output_gradient, const float* parameters) const;
  /// Adds to `gradients`.
  void backward_weight(const tensor::Tensor& input, const tensor::Tensor& output_gradient, float* gradients) const;

 private:
  Convolution& convolution(const tensor::Tensor& where) const;

  layers::ConvolutionShape shape_;
  bool bias_;
  PerDevice<Convolution> convolutions_;
};

/// A batch norm of tensors of floats, as cpu::BatchNormPasses, for every precision.
class BatchNormPasses {
 public:
  explicit BatchNormPasses(std::int64_t channels) : channels_(channels) {}

  std::int64_t parameters() const { return 2 * channels_; }
  void initialise(float* parameters) const { layers::initialise_batch_norm(parameters, channels_); }

  tensor::Tensor forward(const tensor::Tensor& input, const float* parameters, layers::ColumnStatistics& kept) const;
  /// Replaces `gradient` (of the output) by the input's. Returns the gradients of gains and shifts.
  tensor::Tensor backward(tensor::Tensor& gradient, const tensor::Tensor& input,
                          const layers::ColumnStatistics& statistics, const float* parameters) const;

 private:
  std::int64_t channels_;
};

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
