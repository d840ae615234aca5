// SPDX-License-Identifier: Apache-2.0
// The passes of one convolution through cuDNN, on images that lie pixel by pixel. Weights lie [row][column][in][out] in
// 32-bit floats, as in core/runtime/cpu/convolution_passes.hpp; cuDNN gets them [out][row][column][in] in the images'
// element, packed anew in each pass. What a bias adds, and its gradient, are kernels of their own. Of the algorithms
// that cuDNN offers the first is taken that gives the same bits every time.
#pragma once

#include <map>
#include <memory>

#include "core/runtime/cpu/convolution_passes.hpp"
#include "core/runtime/cuda/context.hpp"

namespace pipedeck::cuda {

/// Images are of the context's element. All functions put work on its stream; they throw CudaError, OutOfMemory.
class Convolution {
 public:
  Convolution(Context& context, const ConvolutionShape& shape);
  ~Convolution();

  const ConvolutionShape& shape() const { return shape_; }

  void forward(void* out, const void* in, const float* weights, int samples);
  void backward_input(void* in_gradient, const void* out_gradient, const float* weights, int samples);
  /// weight_gradient += its share. With 16-bit images cuDNN rounds one pass's share to 16 bits; sums are 32-bit floats.
  void backward_weight(float* weight_gradient, const void* in, const void* out_gradient, int samples);

 private:
  struct Programs;
  Programs& programs(int samples);
  std::size_t packed_bytes() const;
  void pack(void* to, const float* weights);

  Context& context_;
  ConvolutionShape shape_;
  std::map<int, std::unique_ptr<Programs>> programs_;  ///< by samples
};

}  // namespace pipedeck::cuda
