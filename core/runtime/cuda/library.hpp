// SPDX-License-Identifier: Apache-2.0
// Status checks of NVIDIA's libraries. Exceptions name the call, the device and a remedy. Only a call's own status is
// checked: no function waits for a device.
#pragma once

#include <stdexcept>
#include <string>

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <nccl.h>

namespace pipedeck::runtime::cuda {

/// An error of a failed call. Lack of memory is OutOfMemory instead (tensor.hpp), as everywhere in the runtime.
struct CudaError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws "GPU 1: cudaMemcpyAsync: an illegal memory access ... (error 700): ..." unless the status is success. `call`
/// is the name of the function.
void check(cudaError_t status, const char* call);
void check(cublasStatus_t status, const char* call);
void check(cudnnStatus_t status, const char* call);
/// Accepts ncclInProgress, too: callers with non-blocking communicators poll them. `communicator` may be null.
void check(ncclResult_t status, const char* call, ncclComm_t communicator = nullptr);

/// Returns "NCCL 2.28.9" for a version number of ncclGetVersion.
std::string nccl_text(int version);

/// Returns the number of GPUs. Throws CudaError if there is none, or no usable driver.
int count_devices();

}  // namespace pipedeck::runtime::cuda
