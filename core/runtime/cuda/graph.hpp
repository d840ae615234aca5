// SPDX-License-Identifier: Apache-2.0
// A CUDA graph: work that was given to a stream once, and that one call gives to a stream again, as often as wanted.
// Kernels, addresses and numbers are those of the first time.
#pragma once

#include <functional>
#include <memory>

#include "core/runtime/cuda/handles.hpp"

namespace pipedeck::cuda {

class Graph {
 public:
  /// Of what `work` gives to the stream, none of which is done. The stream is used by nobody else meanwhile, and other
  /// threads may do as they like. Throws what `work` throws, and CudaError where CUDA captures no graph of it; nothing
  /// is left then.
  Graph(cudaStream_t stream, const std::function<void()>& work);

  /// Returns when it is given to the stream, which is one of the same GPU.
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_.get(), stream), "cudaGraphLaunch"); }

 private:
  std::unique_ptr<CUgraphExec_st, Destroyer<cudaGraphExecDestroy>> executable_;
};

}  // namespace pipedeck::cuda
