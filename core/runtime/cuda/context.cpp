// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/context.hpp"

namespace pipedeck::cuda {
namespace {

int made_current(int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  return device;
}

}  // namespace

Context::Context(int device, Precision precision)
    : device_(made_current(device)), precision_(precision), stream_(make_stream()) {
  cublasLtHandle_t blas = nullptr;
  check(cublasLtCreate(&blas), "cublasLtCreate");
  blas_.reset(blas);
  cudnnHandle_t dnn = nullptr;
  check(cudnnCreate(&dnn), "cudnnCreate");
  dnn_.reset(dnn);
  check(cudnnSetStream(dnn, stream_.get()), "cudnnSetStream");
}

Context::~Context() {
  static_cast<void>(cudaSetDevice(device_));
  free_workspace();
}

void Context::make_current() const { made_current(device_); }

void* Context::workspace(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes <= workspace_bytes_) return workspace_;
  free_workspace();
  check(cudaMallocAsync(&workspace_, bytes, stream_.get()), "cudaMallocAsync");
  workspace_bytes_ = bytes;
  return workspace_;
}

void Context::free_workspace() noexcept {
  if (workspace_) static_cast<void>(cudaFreeAsync(workspace_, stream_.get()));
  workspace_ = nullptr;
  workspace_bytes_ = 0;
}

}  // namespace pipedeck::cuda
