// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/library.hpp"

#include <string_view>

#include <fmt/format.h>

#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cuda {
namespace {

/// Returns the current device for a message. It is called after a failure, and names no device if it fails itself.
std::string device_text() {
  int device = 0;
  return cudaGetDevice(&device) == cudaSuccess ? fmt::format("GPU {}: ", device) : std::string();
}

std::string driver_text() {
  int driver = 0, runtime = 0;
  const auto version = [](int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); };
  if (cudaDriverGetVersion(&driver) != cudaSuccess || cudaRuntimeGetVersion(&runtime) != cudaSuccess)
    return "install a newer NVIDIA driver, or run with --backend cpu";
  if (driver == 0)
    return fmt::format(
        "found no NVIDIA driver, expected one for CUDA {} or later: install it, or run with --backend cpu",
        version(runtime));
  return fmt::format(
      "found a driver for CUDA {}, expected one for CUDA {} or later: install a newer one, or run with --backend cpu",
      version(driver), version(runtime));
}

constexpr const char* less_memory =
    "take a smaller micro-batch, recomputation or more stages, or end other programs on this GPU";
constexpr const char* device_gone =
    "the GPU fell off the bus or its driver was reset: look at dmesg for Xid messages, reset or replace it, then "
    "resume "
    "with --resume";
constexpr const char* defect = "a defect of this program, or of the GPU: run again under compute-sanitizer";

/// Returns the remedy for an error of the CUDA runtime; empty if unknown.
std::string advice(cudaError_t status) {
  switch (status) {
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorCallRequiresNewerDriver:
      return driver_text();
    case cudaErrorStubLibrary:
      return "the libcuda.so.1 that was found is the toolkit's stub: take its folder out of LD_LIBRARY_PATH";
    case cudaErrorNoDevice:
      return "look at nvidia-smi and CUDA_VISIBLE_DEVICES, or run with --backend cpu";
    case cudaErrorInvalidDevice:
      return "CUDA_VISIBLE_DEVICES leaves fewer GPUs than the plan wants: see pipedeck-cli list devices";
    case cudaErrorDevicesUnavailable:
    case cudaErrorDeviceAlreadyInUse:
      return "another program has the GPU for itself (compute mode exclusive): end it, or see nvidia-smi -c";
    case cudaErrorNoKernelImageForDevice:
      return "this build has code for GPUs from the A100 on (compute capability 8.0)";
    case cudaErrorMemoryAllocation:
      return less_memory;
    case cudaErrorECCUncorrectable:
#if CUDART_VERSION >= 12080  // earlier headers of CUDA 12 may lack it
    case cudaErrorContained:
#endif
      return "the GPU's memory is damaged (ECC): reset the GPU, replace it where it happens again, then resume with "
             "--resume";
    case cudaErrorNvlinkUncorrectable:
      return "a link between GPUs is damaged (NVLink): see nvidia-smi nvlink -e, then resume with --resume";
    case cudaErrorDeviceUninitialized:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
      return device_gone;
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorIllegalInstruction:
      return defect;
    case cudaErrorSystemNotReady:
      return "the machine's fabric manager is not running: start nvidia-fabricmanager";
    default:
      return {};
  }
}

std::string text_of(const char* call, std::string_view words, int number, std::string_view advised) {
  return fmt::format("{}{}: {} (error {}){}{}", device_text(), call, words, number, advised.empty() ? "" : ": ",
                     advised);
}

}  // namespace

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // otherwise the next launch reports this error
  const std::string text = text_of(call, cudaGetErrorString(status), status, advice(status));
  if (status == cudaErrorMemoryAllocation) throw tensor::OutOfMemory(text);
  throw CudaError(text);
}

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const bool memory = status == CUBLAS_STATUS_ALLOC_FAILED;
  const char* advised = memory                                     ? less_memory
                        : status == CUBLAS_STATUS_NOT_INITIALIZED  ? "the GPU has no room for cuBLAS, or no driver"
                        : status == CUBLAS_STATUS_ARCH_MISMATCH    ? "the GPU is too old for this precision: take fp32"
                        : status == CUBLAS_STATUS_EXECUTION_FAILED ? device_gone
                                                                   : "";
  const std::string text = text_of(call, cublasLtGetStatusString(status), status, advised);
  if (memory) throw tensor::OutOfMemory(text);
  throw CudaError(text);
}

void check(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  char detail[512] = {};
  cudnnGetLastErrorString(detail, sizeof detail);
  const bool memory =
      status == CUDNN_STATUS_ALLOC_FAILED || status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
  const char* advised = memory                                             ? less_memory
                        : status == CUDNN_STATUS_EXECUTION_FAILED          ? device_gone
                        : status == CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED ? "install all of cuDNN 9's libraries"
                        : status == CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH
                            ? "cuDNN's libraries are of several versions: install one"
                            : "";
  const std::string words =
      detail[0] != '\0' ? fmt::format("{}: {}", cudnnGetErrorString(status), detail) : cudnnGetErrorString(status);
  const std::string text = text_of(call, words, status, advised);
  if (memory) throw tensor::OutOfMemory(text);
  throw CudaError(text);
}

namespace {

/// Both have other causes, too (ncclInvalidUsage and ncclUnhandledCudaError); only NCCL's text identifies them.
std::string nccl_advice(ncclResult_t status, std::string_view detail) {
  if (detail.find("Duplicate GPU") != std::string_view::npos)
    return "NCCL takes one worker a GPU: give the run as many GPUs as the plan has devices, or run with "
           "--oversubscribe";
  if (detail.find("out of memory") != std::string_view::npos) return less_memory;
  if (status == ncclRemoteError || status == ncclSystemError)
    return "a peer was lost, or the network between the machines does not respond: see the other workers' messages; "
           "NCCL_DEBUG=WARN prints more";
  return "NCCL_DEBUG=WARN prints more";
}

}  // namespace

void check(ncclResult_t status, const char* call, ncclComm_t communicator) {
  if (status == ncclSuccess || status == ncclInProgress) return;
  const char* last = ncclGetLastError(communicator);
  const std::string_view detail = last ? last : "";
  const std::string words =
      detail.empty() ? ncclGetErrorString(status) : fmt::format("{}: {}", ncclGetErrorString(status), detail);
  throw CudaError(text_of(call, words, status, nccl_advice(status, detail)));
}

std::string nccl_text(int version) {
  return fmt::format("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

int count_devices() {
  int count = 0;  // an old driver does not write it
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (count == 0) check(cudaErrorNoDevice, "cudaGetDeviceCount");
  return count;
}

}  // namespace pipedeck::runtime::cuda
