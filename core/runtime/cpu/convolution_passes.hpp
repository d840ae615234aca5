// SPDX-License-Identifier: Apache-2.0
// The passes of one convolution through oneDNN. Images are stored pixel by pixel, with the channels of a pixel
// contiguous, so that any range of samples can be sliced. Weights are stored [row][column][in][out], then the bias.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/runtime/layers/shapes.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cpu {

/// A convolution's passes. Programs are created once per number of samples and cached; several threads may run passes
/// at once. Additional memory (packed weights, oneDNN's scratch) comes from the memory of the tensors passed in.
class ConvolutionPasses {
 public:
  ConvolutionPasses(layers::ConvolutionShape shape, bool bias);
  ~ConvolutionPasses();

  const layers::ConvolutionShape& shape() const { return shape_; }
  std::int64_t parameters() const { return shape_.weights() + (bias_ ? shape_.out : 0); }

  tensor::Tensor forward(const tensor::Tensor& input, const float* parameters) const;
  tensor::Tensor backward_input(const tensor::Tensor& output_gradient, const float* parameters) const;
  /// Adds to `gradients`.
  void backward_weight(const tensor::Tensor& input, const tensor::Tensor& output_gradient, float* gradients) const;

 private:
  struct Programs;
  class Loan;

  layers::ConvolutionShape shape_;
  bool bias_;
  mutable std::mutex mutex_;
  mutable std::map<int, std::vector<std::unique_ptr<Programs>>> idle_;  ///< by samples
};

}  // namespace pipedeck::runtime::cpu
