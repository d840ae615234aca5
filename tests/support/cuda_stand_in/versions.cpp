// SPDX-License-Identifier: Apache-2.0
// The libraries whose headers were compiled in, unless set otherwise.
#include <atomic>

#include <cublasLt.h>
#include <cudnn.h>
#include <nccl.h>

#include "tests/support/cuda_stand_in/stand_in.hpp"

namespace {

std::atomic<int> nccl_version{NCCL_VERSION_CODE};

}  // namespace

void cuda_stand_in::set_nccl(int version) { nccl_version = version; }

std::size_t cublasLtGetVersion() { return CUBLAS_VERSION; }

std::size_t cudnnGetVersion() { return CUDNN_VERSION; }

ncclResult_t ncclGetVersion(int* version) {
  if (version == nullptr) return ncclInvalidArgument;
  *version = nccl_version;
  return ncclSuccess;
}
