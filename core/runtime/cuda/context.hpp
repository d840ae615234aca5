// SPDX-License-Identifier: Apache-2.0
// What one worker has of its GPU: a stream that computes, the libraries' handles on it, and one workspace that all
// calls on that stream share, for they run one after the other.
#pragma once

#include <cstddef>
#include <functional>

#include "core/runtime/cuda/graph.hpp"
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
  /// Where this thread's work goes: while it records, to the graph that is made.
  cudaStream_t stream() const { return recording_here() ? recording_stream_.get() : stream_.get(); }
  cublasLtHandle_t blas() const { return blas_.get(); }
  cudnnHandle_t dnn() const { return dnn_.get(); }

  /// A thread's calls go to the device that is current on it.
  void make_current() const;

  /// At least so many bytes, aligned to 256, until the next call of this function: for what is put on the stream next.
  /// Null where `bytes` is 0. Throws CannotRecord where it would have to grow while work is recorded.
  void* workspace(std::size_t bytes);
  std::size_t workspace_bytes() const { return workspace_bytes_; }
  /// How often it has moved.
  int workspace_moves() const { return workspace_moves_; }

  /// A graph of what this thread gives to the stream in `work`. It is captured on a stream of its own: what other
  /// threads give to the one that computes is no part of it.
  Graph record(const std::function<void()>& work);
  /// Whether this thread is in `work` of this context's record().
  bool recording_here() const;

 private:
  class Recording;
  void free_workspace() noexcept;

  int device_;
  Precision precision_;
  Stream stream_;
  std::unique_ptr<cublasLtContext, Destroyer<cublasLtDestroy>> blas_;
  std::unique_ptr<cudnnContext, Destroyer<cudnnDestroy>> dnn_;
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  int workspace_moves_ = 0;
  Stream recording_stream_;  ///< none before the first recording
};

}  // namespace pipedeck::cuda
