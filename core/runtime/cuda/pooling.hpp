// SPDX-License-Identifier: Apache-2.0
// Windows that slide over each channel, through cuDNN. A window larger than the padded image is clipped to it.
#pragma once

#include <map>
#include <memory>

#include "core/runtime/cuda/context.hpp"
#include "core/runtime/layers/shapes.hpp"

namespace pipedeck::runtime::cuda {

/// A pool of images of `element`. All functions enqueue on the context's stream; they throw CudaError, OutOfMemory.
class Pooling {
 public:
  enum class Kind { largest, mean };  ///< neither includes padding

  Pooling(Context& context, const layers::PoolShape& shape, Kind kind, Element element);
  ~Pooling();

  void forward(void* out, const void* in, int samples);
  /// in_gradient = the input's gradient. Among equal maxima one gets it, the same one every time.
  void backward(void* in_gradient, const void* out_gradient, const void* in, int samples);

 private:
  struct Program;
  const Program& program(int samples);

  Context& context_;
  layers::PoolShape shape_;
  Kind kind_;
  Element element_;
  std::map<int, std::unique_ptr<Program>> programs_;  ///< by samples
};

}  // namespace pipedeck::runtime::cuda
