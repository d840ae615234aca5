// SPDX-License-Identifier: Apache-2.0
// The libraries whose headers this was compiled with.
#include <cublasLt.h>
#include <cudnn.h>
#include <nccl.h>

std::size_t cublasLtGetVersion() { return CUBLAS_VERSION; }

std::size_t cudnnGetVersion() { return CUDNN_VERSION; }

ncclResult_t ncclGetVersion(int* version) {
  if (version == nullptr) return ncclInvalidArgument;
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}
