// SPDX-License-Identifier: Apache-2.0
// NCCL's all-reduces alone: measured, and estimated by NCCL's own model of the machine (ncclGroupSimulateEnd).
#pragma once

#include <memory>
#include <vector>

#include "core/runtime/tensor/tensor.hpp"
#include "core/runtime/transport/all_reduce_times.hpp"

namespace pipedeck::runtime::cuda {

/// Measures all-reduces of 32-bit floats with each of `sizes` bytes (whole floats), among the GPUs of these memories:
/// two or more, all different. Runs on one thread, which waits without a time-out. Throws CudaError, OutOfMemory.
transport::AllReduceMeasurement measure_all_reduces(const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories,
                                                    const std::vector<Bytes>& sizes);

}  // namespace pipedeck::runtime::cuda
