// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/graph.hpp"

namespace pipedeck::runtime::cuda {
namespace {

using GraphCapture = std::unique_ptr<CUgraph_st, Destroyer<cudaGraphDestroy>>;

/// Captures the work of this thread. Other threads may allocate and wait meanwhile: only this thread is restricted.
GraphCapture capture(cudaStream_t stream, const std::function<void()>& work) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    work();
  } catch (...) {
    static_cast<void>(cudaStreamEndCapture(stream, &graph));
    cudaGetLastError();  // otherwise the next launch reports the failed capture
    const GraphCapture part(graph);
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  return GraphCapture(graph);
}

}  // namespace

Graph::Graph(cudaStream_t stream, const std::function<void()>& work) {
  const GraphCapture captured = capture(stream, work);
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, captured.get(), 0), "cudaGraphInstantiate");
  executable_.reset(executable);
}

}  // namespace pipedeck::runtime::cuda
