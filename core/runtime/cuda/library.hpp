// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's libraries answer, as exceptions that name the call, the device and what to do. Only a call's own status
// is looked at: nothing here waits for a device.
#pragma once

#include <stdexcept>
#include <string>

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <nccl.h>

namespace pipedeck::cuda {

/// A call failed. Lack of memory is OutOfMemory instead (tensor.hpp), as everywhere in the runtime.
struct CudaError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "GPU 1: cudaMemcpyAsync: an illegal memory access ... (error 700): ..." Throws unless all is well. `call` is the
/// name of the function.
void check(cudaError_t status, const char* call);
void check(cublasStatus_t status, const char* call);
void check(cudnnStatus_t status, const char* call);
/// ncclInProgress is no error: who made the communicator non-blocking asks again. `communicator` may be null.
void check(ncclResult_t status, const char* call, ncclComm_t communicator = nullptr);

/// "NCCL 2.28.9", of a version as ncclGetVersion tells it.
std::string nccl_words(int version);

/// How many GPUs there are. Throws CudaError where there is none, or no driver that can be used.
int count_devices();

}  // namespace pipedeck::cuda
