// SPDX-License-Identifier: Apache-2.0
// Plans of cuDNN's graph interface: an operation graph, compiled by one of cuDNN's engines for one type of GPU.
#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>

#include "core/runtime/cuda/fused/attention_graph.hpp"

namespace pipedeck::runtime::cuda::fused {

/// A GPU that a plan is made for: that of a handle, or a described one that need not be present
/// (CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, cuDNN 9.8). The other is null.
struct Target {
  cudnnHandle_t handle = nullptr;
  cudnnBackendDescriptor_t described = nullptr;
};

/// An exception for a graph without a plan, with the last reason.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Plan {
 public:
  /// Takes the first configuration of cuDNN's heuristics that is deterministic and needs at most `most_workspace`
  /// bytes. Throws Unavailable if there is none, Failure.
  Plan(OperationGraph graph, const Target& target, std::size_t most_workspace);

  std::size_t workspace() const { return workspace_; }
  /// Enqueues the plan on the handle's stream, with an address for each unique id of the graph. `workspace` has
  /// workspace() bytes. Throws Failure.
  void execute(cudnnHandle_t handle, const std::map<std::int64_t, void*>& addresses, void* workspace) const;

 private:
  /// Tries the configurations of one mode. False: none fits, for the last `reason`.
  bool try_mode(cudnnBackendHeurMode_t mode, const Target& target, std::size_t most_workspace, std::string& reason);

  OperationGraph graph_;
  std::vector<Descriptor> parts_;  ///< the configuration and its plan, in this order
  std::size_t workspace_ = 0;
};

}  // namespace pipedeck::runtime::cuda::fused
