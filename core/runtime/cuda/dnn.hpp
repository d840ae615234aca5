// SPDX-License-Identifier: Apache-2.0
// Owning handles of cuDNN's descriptors.
#pragma once

#include <cstdint>

#include "core/runtime/cuda/context.hpp"

namespace pipedeck::runtime::cuda {

template <class Struct, auto Destroy>
using DnnDescriptor = std::unique_ptr<Struct, Destroyer<Destroy>>;
using TensorDescriptor = DnnDescriptor<cudnnTensorStruct, cudnnDestroyTensorDescriptor>;

/// Creates a descriptor: make<TensorDescriptor>(cudnnCreateTensorDescriptor, "cudnnCreateTensorDescriptor").
template <class Descriptor, class Create>
Descriptor make_descriptor(Create create, const char* call) {
  typename Descriptor::pointer made = nullptr;
  check(create(&made), call);
  return Descriptor(made);
}

inline cudnnDataType_t dnn_type(Element element) {
  return element == Element::fp32 ? CUDNN_DATA_FLOAT : CUDNN_DATA_BFLOAT16;
}

/// Converts a size for cuDNN, which counts in ints. Throws CudaError beyond them.
int dnn_size(std::int64_t size);

/// Returns a descriptor of images stored pixel by pixel, with contiguous channels.
TensorDescriptor image_descriptor(Element element, std::int64_t samples, std::int64_t channels, std::int64_t height,
                                  std::int64_t width);

/// Factors of results: cuDNN takes their addresses.
inline constexpr float dnn_one = 1, dnn_zero = 0;

/// A set of consecutive workspaces from one call of Context::workspace.
class SharedWorkspace {
 public:
  /// Returns the workspace's offset, for at().
  std::size_t add(std::size_t bytes) {
    const std::size_t begin = bytes_;
    bytes_ += (bytes + alignment - 1) / alignment * alignment;
    return begin;
  }
  void take(Context& context) { data_ = static_cast<char*>(context.workspace(bytes_)); }
  void* at(std::size_t begin) const { return data_ + begin; }

 private:
  static constexpr std::size_t alignment = 256;
  std::size_t bytes_ = 0;
  char* data_ = nullptr;
};

}  // namespace pipedeck::runtime::cuda
