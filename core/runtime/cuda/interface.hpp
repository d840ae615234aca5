// SPDX-License-Identifier: Apache-2.0
// The program's interface to the module for GPUs (pipedeck-cuda.so), which it loads on demand. Both are built together:
// a module of another version is rejected.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/runtime/cuda/precision.hpp"
#include "core/runtime/layers/backend.hpp"
#include "core/runtime/transport/all_reduce_times.hpp"

namespace pipedeck::runtime::cuda {

class Module {
 public:
  virtual ~Module() = default;
  /// Returns "NVIDIA H100 80GB, 79.6 GiB", one entry per GPU. Throws std::runtime_error if there is none, or no driver.
  virtual std::vector<std::string> gpus() const = 0;
  /// Returns "CUDA 13.0, cublasLt 13.1.0, cuDNN 9.15.1, NCCL 2.28.9".
  virtual std::string libraries() const = 0;
  /// Returns "NCCL 2.28.9"; empty if it is too old to join workers on GPUs of their own (before 2.18).
  virtual std::string nccl() const = 0;
  /// Measures NCCL's all-reduces of 32-bit floats, for each of these sizes, among two or more devices of a backend of
  /// this module. Each is on a GPU of its own. Throws std::runtime_error.
  virtual transport::AllReduceMeasurement all_reduces(
      const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories, const std::vector<Bytes>& sizes) const = 0;
  /// Returns a backend with a device for each worker of this process: gpus[worker]. Devices are created when a run
  /// requests them, and throw std::runtime_error then. With `by_nccl` NCCL joins them; otherwise they are joined like
  /// workers in host memory.
  virtual layers::Backend backend(Precision precision, std::vector<int> gpus, bool by_nccl) const = 0;
};

/// extern "C" pipedeck_cuda(version): returns null if the module has another version.
using ModuleFactory = const Module*(const char* version);

}  // namespace pipedeck::runtime::cuda
