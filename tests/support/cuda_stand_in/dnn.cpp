// SPDX-License-Identifier: Apache-2.0
// cuDNN's handle, tensors and words.
#include "tests/support/cuda_stand_in/dnn.hpp"

#include <cstdio>

namespace cuda_stand_in {
namespace {

constexpr const char* handle_kind = "cuDNN handle";

}  // namespace

void check_type(cudnnDataType_t type) {
  require(type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_BFLOAT16, "a type that the stand-in does not know",
          CUDNN_STATUS_NOT_SUPPORTED);
}

cudnnContext& living(cudnnHandle_t handle) {
  check_alive(handle, handle_kind, CUDNN_STATUS_NOT_INITIALIZED);
  check_stream(handle->stream, CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH);
  require(handle->device == current_device(), "the handle is another device's");
  return *handle;
}

const cudnnTensorStruct& described(cudnnTensorDescriptor_t descriptor) {
  check_alive(descriptor, tensor_kind);
  require(descriptor->set, "a tensor descriptor that was never set");
  return *descriptor;
}

const cudnnTensorStruct& image(cudnnTensorDescriptor_t descriptor) {
  const auto& found = described(descriptor);
  require(found.image, "an image was expected");
  return found;
}

void check_image(const cudnnContext& handle, const cudnnTensorStruct& tensor, const void* data, const char* what) {
  check_space(handle, data, static_cast<std::size_t>(tensor.values()) * bytes_of(values_of(tensor.type)), what);
}

void check_space(const cudnnContext& handle, const void* data, std::size_t bytes, const char* what) {
  check_device_memory(data, bytes, handle.device, what);
  check_aligned(data, 4, what);
}

void check_workspace(const cudnnContext& handle, const void* data, std::size_t bytes, std::size_t wanted) {
  require(bytes >= wanted, "the workspace is too small");
  if (wanted > 0) check_space(handle, data, bytes, "the workspace");
}

double scale_of(const void* scale) {
  require(scale != nullptr, "a scale is missing");
  return *static_cast<const float*>(scale);
}

}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS:
      return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    case CUDNN_STATUS_NOT_INITIALIZED:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    default:
      return "a status of the stand-in";
  }
}
void cudnnGetLastErrorString(char* message, std::size_t size) {
  std::snprintf(message, size, "%s", last_refusal().c_str());
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  return dnn_call(
      "cudnnCreate",
      [&] {
        make_descriptor(handle, handle_kind);
        (*handle)->device = current_device();
      },
      CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED);
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return dnn_destroy("cudnnDestroy", [&] { destroy_descriptor(handle, handle_kind); });
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  return dnn_call("cudnnSetStream", [&] {
    check_alive(handle, handle_kind, CUDNN_STATUS_NOT_INITIALIZED);
    check_stream(stream, CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH);
    handle->stream = stream;
  });
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* descriptor) {
  return dnn_call("cudnnCreateTensorDescriptor", [&] { make_descriptor(descriptor, tensor_kind); });
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t descriptor) {
  return dnn_destroy("cudnnDestroyTensorDescriptor", [&] { destroy_descriptor(descriptor, tensor_kind); });
}
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t descriptor, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  return dnn_call("cudnnSetTensor4dDescriptor", [&] {
    check_alive(descriptor, tensor_kind);
    check_type(type);
    require(format == CUDNN_TENSOR_NHWC, "the stand-in knows images that lie pixel by pixel");
    require(n > 0 && c > 0 && h > 0 && w > 0, "a dimension is not positive");
    *descriptor = {true, true, type, n, c, h, w, {}};
  });
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t descriptor, cudnnDataType_t type, int dimensions,
                                         const int sizes[], const int strides[]) {
  return dnn_call("cudnnSetTensorNdDescriptor", [&] {
    check_alive(descriptor, tensor_kind);
    check_type(type);
    require(dimensions == 3, "the stand-in knows three dimensions");
    require(sizes[0] > 0 && sizes[1] > 0 && sizes[2] > 0, "a dimension is not positive");
    require(strides[2] == 1 && strides[1] == sizes[2] && strides[0] == sizes[1] * sizes[2], "values are packed");
    *descriptor = {};
    descriptor->set = true;
    descriptor->type = type;
    descriptor->list = {sizes[0], sizes[1], sizes[2]};
  });
}
cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t descriptor, int wanted, cudnnDataType_t* type,
                                         int* dimensions, int sizes[], int strides[]) {
  return dnn_call("cudnnGetTensorNdDescriptor", [&] {
    const auto& found = described(descriptor);
    require(wanted == 3 && !found.image, "the stand-in knows three dimensions");
    *type = found.type;
    *dimensions = 3;
    for (std::size_t i = 0; i < 3; ++i) sizes[i] = found.list[i];
    strides[2] = 1, strides[1] = sizes[2], strides[0] = sizes[1] * sizes[2];
  });
}

}  // extern "C"
