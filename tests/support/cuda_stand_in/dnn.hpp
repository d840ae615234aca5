// SPDX-License-Identifier: Apache-2.0
// Shared parts of the stand-in's files for cuDNN: descriptors and their checks.
#pragma once

#include <array>
#include <vector>

#include "tests/support/cuda_stand_in/state.hpp"

struct cudnnContext {
  int device = 0;
  cudaStream_t stream = nullptr;
};

/// Images lie pixel by pixel, the channels of a pixel side by side; a list of numbers is any other shape.
struct cudnnTensorStruct {
  bool set = false, image = false;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::int64_t n = 0, c = 0, h = 0, w = 0;
  std::array<int, 3> list{};
  std::int64_t values() const { return image ? n * c * h * w : std::int64_t{list[0]} * list[1] * list[2]; }
};

namespace cuda_stand_in {

template <class Body>
cudnnStatus_t dnn_call(const char* function, Body body, cudnnStatus_t failed_work = CUDNN_STATUS_EXECUTION_FAILED) {
  return call(function, failed_work, CUDNN_STATUS_BAD_PARAM, body);
}
template <class Body>
cudnnStatus_t dnn_destroy(const char* function, Body body) {
  return call(function, CUDNN_STATUS_SUCCESS, CUDNN_STATUS_BAD_PARAM, body);
}

template <class Struct>
void make_descriptor(Struct** to, const char* kind) {
  auto* one = new Struct();
  made(one, kind);
  *to = one;
}
template <class Struct>
void destroy_descriptor(Struct* one, const char* kind) {
  destroyed(one, kind);
  delete one;
}

inline constexpr const char* tensor_kind = "cuDNN tensor descriptor";

inline Values::Type values_of(cudnnDataType_t type) {
  return type == CUDNN_DATA_FLOAT ? Values::Type::f32 : Values::Type::bf16;
}
void check_type(cudnnDataType_t type);

/// A living one on whose device and stream work may be put.
cudnnContext& living(cudnnHandle_t handle);
const cudnnTensorStruct& image(cudnnTensorDescriptor_t descriptor);
const cudnnTensorStruct& described(cudnnTensorDescriptor_t descriptor);
void check_image(const cudnnContext& handle, const cudnnTensorStruct& tensor, const void* data, const char* what);
void check_workspace(const cudnnContext& handle, const void* data, std::size_t bytes, std::size_t wanted);
void check_space(const cudnnContext& handle, const void* data, std::size_t bytes, const char* what);
double scale_of(const void* scale);

}  // namespace cuda_stand_in
