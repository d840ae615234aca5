// SPDX-License-Identifier: Apache-2.0
// A worker's resources on its GPU: a compute stream, the libraries' handles on it, and one workspace. All calls on the
// stream share the workspace, because they run in sequence.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "core/runtime/cuda/handles.hpp"
#include "core/runtime/cuda/precision.hpp"

namespace pipedeck::runtime::cuda {

/// A CUDA graph: work that was captured from a stream once, and that one call launches again. Kernels, addresses and
/// numbers are those of the capture.
class Graph {
 public:
  /// Captures the work that `work` enqueues on the stream, without executing it. No other thread uses the stream
  /// meanwhile; other threads are not restricted otherwise. Throws the exceptions of `work`, and CudaError if CUDA
  /// cannot capture it; the stream is left clean.
  Graph(cudaStream_t stream, const std::function<void()>& work);

  /// Enqueues the graph on a stream of the same GPU and returns.
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_.get(), stream), "cudaGraphLaunch"); }

 private:
  std::unique_ptr<CUgraphExec_st, Destroyer<cudaGraphExecDestroy>> executable_;
};

/// A context of one worker. One thread at a time uses it, after calling make_current().
class Context {
 public:
  /// Creates the context and makes the device current on the calling thread. Throws CudaError, OutOfMemory.
  Context(int device, Precision precision);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  /// Does not wait: memory is returned in the stream's order.
  ~Context();

  int device() const { return device_; }
  Precision precision() const { return precision_; }
  Element element() const { return element_of(precision_); }
  /// Returns the stream for this thread's work: the captured one during a capture.
  cudaStream_t stream() const { return is_capturing() ? capture_stream_.get() : stream_.get(); }
  cublasLtHandle_t blas() const { return blas_.get(); }
  cudnnHandle_t dnn() const { return dnn_.get(); }

  /// Makes the device current on the calling thread: a thread's calls go to its current device.
  void make_current() const;

  /// Returns `bytes` or more, aligned to 256, until the next call of this function, for work enqueued next. Null if
  /// `bytes` is 0. Throws CaptureUnsupported if it would have to grow during a capture.
  void* workspace(std::size_t bytes);
  std::size_t workspace_bytes() const { return workspace_bytes_; }
  /// Returns the number of reallocations.
  int workspace_reallocations() const { return workspace_moves_; }

  /// True if memory can be allocated in a stream's order.
  bool has_pools() const { return has_pools_; }

  /// Adds a warning, once for each text.
  void warn(const std::string& text);
  /// Returns the warnings that were added since the last call.
  std::string consume_warnings() { return std::exchange(warnings_, {}); }

  /// Captures a graph of the work that this thread enqueues in `work`. It uses its own stream: work that other threads
  /// enqueue on the compute stream does not belong to it.
  Graph record(const std::function<void()>& work);
  /// True if this thread is in `work` of this context's record().
  bool is_capturing() const;

 private:
  class GraphRecording;
  void free_workspace() noexcept;
  void* allocate_workspace(std::size_t bytes) const;

  int device_;
  Precision precision_;
  Stream stream_;
  std::unique_ptr<cublasLtContext, Destroyer<cublasLtDestroy>> blas_;
  std::unique_ptr<cudnnContext, Destroyer<cudnnDestroy>> dnn_;
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  int workspace_moves_ = 0;
  bool has_pools_;  ///< memory in a stream's order; some virtual GPUs have none
  std::set<std::string> warned_;
  std::string warnings_;
  Stream capture_stream_;  ///< null before the first capture
};

}  // namespace pipedeck::runtime::cuda
