// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/graph.hpp"

namespace pipedeck::runtime::cuda {
namespace {

using Captured = std::unique_ptr<CUgraph_st, Destroyer<cudaGraphDestroy>>;

/// Captures the work of this thread. Other threads may allocate and wait meanwhile: only this thread is restricted.
Captured capture(cudaStream_t stream, const std::function<void()>& work) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    work();
  } catch (...) {
    static_cast<void>(cudaStreamEndCapture(stream, &graph));
    cudaGetLastError();  // otherwise the next launch reports the failed capture
    const Captured part(graph);
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  return Captured(graph);
}

}  // namespace

Graph::Graph(cudaStream_t stream, const std::function<void()>& work) {
  const Captured captured = capture(stream, work);
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, captured.get(), 0), "cudaGraphInstantiate");
  executable_.reset(executable);
}

}  // namespace pipedeck::runtime::cuda
