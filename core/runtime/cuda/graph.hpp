// SPDX-License-Identifier: Apache-2.0
// A CUDA graph: work that was captured from a stream once, and that one call launches again. Kernels, addresses and
// numbers are those of the capture.
#pragma once

#include <functional>
#include <memory>

#include "core/runtime/cuda/handles.hpp"

namespace pipedeck::runtime::cuda {

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

}  // namespace pipedeck::runtime::cuda
