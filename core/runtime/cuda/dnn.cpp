// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/dnn.hpp"

#include <limits>

#include <fmt/format.h>

namespace pipedeck::runtime::cuda {

int dnn_size(std::int64_t size) {
  if (size > std::numeric_limits<int>::max())
    throw CudaError(fmt::format("found a size of {}, expected {} at most in cuDNN: take a smaller micro-batch", size,
                                std::numeric_limits<int>::max()));
  return static_cast<int>(size);
}

TensorDescriptor image_descriptor(Element element, std::int64_t samples, std::int64_t channels, std::int64_t height,
                                  std::int64_t width) {
  auto made = make_descriptor<TensorDescriptor>(cudnnCreateTensorDescriptor, "cudnnCreateTensorDescriptor");
  check(cudnnSetTensor4dDescriptor(made.get(), CUDNN_TENSOR_NHWC, dnn_type(element), dnn_size(samples),
                                   dnn_size(channels), dnn_size(height), dnn_size(width)),
        "cudnnSetTensor4dDescriptor");
  return made;
}

}  // namespace pipedeck::runtime::cuda
