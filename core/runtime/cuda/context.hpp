// SPDX-License-Identifier: Apache-2.0
// What one worker has of its GPU: a stream that computes, the libraries' handles on it, and one workspace that all
// calls on that stream share, for they run one after the other.
#pragma once

#include <cstddef>

#include "core/runtime/cuda/handles.hpp"
#include "core/runtime/cuda/precision.hpp"

namespace pipedeck::cuda {

/// Used by one thread at a time, on which make_current() was called.
class Context {
 public:
  /// Makes the device current on the calling thread. Throws CudaError, OutOfMemory.
  Context(int device, Precision precision);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  /// Waits for nothing: memory goes back in the stream's order.
  ~Context();

  int device() const { return device_; }
  Precision precision() const { return precision_; }
  Element element() const { return element_of(precision_); }
  cudaStream_t stream() const { return stream_.get(); }
  cublasLtHandle_t blas() const { return blas_.get(); }
  cudnnHandle_t dnn() const { return dnn_.get(); }

  /// A thread's calls go to the device that is current on it.
  void make_current() const;

  /// At least so many bytes, aligned to 256, until the next call of this function: for what is put on the stream next.
  /// Null where `bytes` is 0.
  void* workspace(std::size_t bytes);
  std::size_t workspace_bytes() const { return workspace_bytes_; }

 private:
  void free_workspace() noexcept;

  int device_;
  Precision precision_;
  Stream stream_;
  std::unique_ptr<cublasLtContext, Destroyer<cublasLtDestroy>> blas_;
  std::unique_ptr<cudnnContext, Destroyer<cudnnDestroy>> dnn_;
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace pipedeck::cuda
