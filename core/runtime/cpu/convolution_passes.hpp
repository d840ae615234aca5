// SPDX-License-Identifier: Apache-2.0
// The passes of one convolution through oneDNN. Images are stored pixel by pixel, with the channels of a pixel
// contiguous, so that any range of samples can be sliced. Weights are stored [row][column][in][out], then the bias.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/runtime/tensor.hpp"

namespace pipedeck {

struct ConvolutionShape {
  std::int64_t in = 1, out = 1, kernel = 1, stride = 1, padding = 0, height = 1, width = 1;
  std::int64_t out_height() const { return (height + 2 * padding - kernel) / stride + 1; }
  std::int64_t out_width() const { return (width + 2 * padding - kernel) / stride + 1; }
  std::int64_t in_values() const { return in * height * width; }
  std::int64_t out_values() const { return out * out_height() * out_width(); }
  std::int64_t weights() const { return kernel * kernel * in * out; }
};

/// A convolution's passes. Programs are created once per number of samples and cached; several threads may run passes
/// at once. Additional memory (packed weights, oneDNN's scratch) comes from the memory of the tensors passed in.
class ConvolutionPasses {
 public:
  ConvolutionPasses(ConvolutionShape shape, bool bias);
  ~ConvolutionPasses();

  const ConvolutionShape& shape() const { return shape_; }
  std::int64_t parameters() const { return shape_.weights() + (bias_ ? shape_.out : 0); }

  Tensor forward(const Tensor& input, const float* parameters) const;
  Tensor backward_input(const Tensor& output_gradient, const float* parameters) const;
  /// Adds to `gradients`.
  void backward_weight(const Tensor& input, const Tensor& output_gradient, float* gradients) const;

 private:
  struct Programs;
  class Loan;

  ConvolutionShape shape_;
  bool bias_;
  mutable std::mutex mutex_;
  mutable std::map<int, std::vector<std::unique_ptr<Programs>>> idle_;  ///< by samples
};

}  // namespace pipedeck
