// SPDX-License-Identifier: Apache-2.0
// Windows that slide over each channel, through cuDNN. A window that is larger than the padded image is cut to it.
#pragma once

#include <map>
#include <memory>

#include "core/runtime/cpu/image_kernels.hpp"
#include "core/runtime/cuda/context.hpp"

namespace pipedeck::cuda {

/// Images are of `element`. All functions put work on its stream; they throw CudaError, OutOfMemory.
class Pooling {
 public:
  enum class Kind { largest, mean };  ///< padding counts in neither

  Pooling(Context& context, const PoolShape& shape, Kind kind, Element element);
  ~Pooling();

  void forward(void* out, const void* in, int samples);
  /// in_gradient = the input's gradient. Of several largest values one gets it, the same one every time.
  void backward(void* in_gradient, const void* out_gradient, const void* in, int samples);

 private:
  struct Program;
  const Program& program(int samples);

  Context& context_;
  PoolShape shape_;
  Kind kind_;
  Element element_;
  std::map<int, std::unique_ptr<Program>> programs_;  ///< by samples
};

}  // namespace pipedeck::cuda
