// SPDX-License-Identifier: Apache-2.0
// What the program sees of the module for GPUs (pipedeck-cuda.so), which it loads when it is asked for. Both are built
// together: the module is refused where it says another version.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/runtime/backend.hpp"
#include "core/runtime/cuda/precision.hpp"
#include "core/runtime/profile/all_reduce_times.hpp"

namespace pipedeck::cuda {

class Module {
 public:
  virtual ~Module() = default;
  /// "NVIDIA H100 80GB, 79.6 GiB": one a GPU. Throws std::runtime_error where there is none, or no driver for them.
  virtual std::vector<std::string> gpus() const = 0;
  /// "CUDA 13.0, cublasLt 13.1.0, cuDNN 9.15.1, NCCL 2.28.9"
  virtual std::string libraries() const = 0;
  /// "NCCL 2.28.9", which can join workers on GPUs of their own; empty where it is too old for that (before 2.18).
  virtual std::string nccl() const = 0;
  /// NCCL's all-reduces of 32-bit floats, of each of these sizes, among devices of a backend of this module: two or
  /// more, on GPUs of their own. Throws std::runtime_error.
  virtual AllReduceMeasurement all_reduces(const std::vector<std::shared_ptr<DeviceMemory>>& memories,
                                           const std::vector<Bytes>& sizes) const = 0;
  /// A device for each worker: gpus[worker], of those in this process. Its devices are made when a run asks for them,
  /// and throw std::runtime_error then. `by_nccl`: NCCL joins them, else they are joined as workers of the host are.
  virtual Backend backend(Precision precision, std::vector<int> gpus, bool by_nccl) const = 0;
};

/// extern "C" pipedeck_cuda(version): null where the module is another version's.
using ModuleFactory = const Module*(const char* version);

}  // namespace pipedeck::cuda
