// SPDX-License-Identifier: Apache-2.0
// NCCL's all-reduces alone: timed, and as NCCL's own model of the machine expects them (ncclGroupSimulateEnd).
#pragma once

#include <memory>
#include <vector>

#include "core/runtime/profile/all_reduce_times.hpp"
#include "core/runtime/tensor.hpp"

namespace pipedeck::cuda {

/// Of 32-bit floats, as many bytes as each of `sizes` (whole floats) says, among the GPUs that these memories lie in
/// (two or more, no two alike). From one thread, which waits without a time-out. Throws CudaError, OutOfMemory.
AllReduceMeasurement measure_all_reduces(const std::vector<std::shared_ptr<DeviceMemory>>& memories,
                                         const std::vector<Bytes>& sizes);

}  // namespace pipedeck::cuda
