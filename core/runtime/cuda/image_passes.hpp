// SPDX-License-Identifier: Apache-2.0
// Convolution and batch norm on tensors of floats, as on the CPU in cpu/convolution_passes.hpp and
// cpu/batch_norm_passes.hpp. With bf16 a convolution reads and writes 16 bits; a batch norm never does.
#pragma once

#include "core/runtime/cuda/convolution.hpp"
#include "core/runtime/cuda/per_device.hpp"
#include "core/runtime/layers/shapes.hpp"

namespace pipedeck::runtime::cuda {

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

}  // namespace pipedeck::runtime::cuda
