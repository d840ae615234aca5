// SPDX-License-Identifier: Apache-2.0
// The passes of one convolution through cuDNN, on images stored pixel by pixel. Weights are stored
// [row][column][in][out] in 32-bit floats, as in core/runtime/cpu/convolution_passes.hpp. cuDNN gets them
// [out][row][column][in] in the images' element, repacked in each pass. The bias and its gradient have separate
// kernels. Among cuDNN's algorithms the first deterministic one is used.
#pragma once

#include <map>
#include <memory>

#include "core/runtime/cuda/context.hpp"
#include "core/runtime/layers/shapes.hpp"

namespace pipedeck::runtime::cuda {

/// A convolution on images of the context's element. All functions enqueue on its stream; they throw CudaError,
/// OutOfMemory.
class Convolution {
 public:
  Convolution(Context& context, const layers::ConvolutionShape& shape);
  ~Convolution();

  const layers::ConvolutionShape& shape() const { return shape_; }

  void forward(void* out, const void* in, const float* weights, int samples);
  void backward_input(void* in_gradient, const void* out_gradient, const float* weights, int samples);
  /// weight_gradient += this pass's gradient. With 16-bit images cuDNN rounds a pass's gradient to 16 bits; sums are
  /// 32-bit floats.
  void backward_weight(float* weight_gradient, const void* in, const void* out_gradient, int samples);

 private:
  struct Programs;
  Programs& programs(int samples);
  std::size_t packed_bytes() const;
  void pack(void* to, const float* weights);

  Context& context_;
  layers::ConvolutionShape shape_;
  std::map<int, std::unique_ptr<Programs>> programs_;  ///< by samples
};

}  // namespace pipedeck::runtime::cuda
