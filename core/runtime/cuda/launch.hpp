// SPDX-License-Identifier: Apache-2.0
// Launches of kernels. nvcc compiles a .cu file for GPUs. Any other compiler takes the same file as C++, and
// cuda_on_host (tests/support) runs the threads of each block sequentially on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#ifdef __CUDACC__
#include <map>
#include <mutex>
#include <utility>
#else
#include <cuda_on_host/kernel.hpp>
#endif

namespace pipedeck::runtime::cuda {

struct Shape {
  dim3 blocks, threads;
  std::size_t shared_bytes = 0;  ///< dynamic shared memory per block
};

#ifdef __CUDACC__

#define PIPEDECK_UNROLL _Pragma("unroll")

/// More than this must be requested (CUDA C++ Programming Guide, "Shared Memory" of compute capability 8.x).
inline constexpr std::size_t shared_bytes_unasked = 48 * 1024;

void check(cudaError_t status, const char* call);  // library.hpp, without its library headers

/// Lets a kernel have this many bytes on the current device. Asks CUDA once per kernel, device and size.
inline void allow_shared_bytes(const void* kernel, std::size_t bytes) {
  static std::mutex mutex;
  static std::map<std::pair<const void*, int>, std::size_t> allowed;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  std::size_t& most = allowed[{kernel, device}];
  if (bytes <= most) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "cudaFuncSetAttribute");
  most = bytes;
}

/// Enqueues kernel(arguments...) on the stream. Does not wait. Throws CudaError if it cannot be launched.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const Shape& shape, cudaStream_t stream, const Arguments&... arguments) {
  if (shape.shared_bytes > shared_bytes_unasked)
    allow_shared_bytes(reinterpret_cast<const void*>(kernel), shape.shared_bytes);
  kernel<<<shape.blocks, shape.threads, shape.shared_bytes, stream>>>(static_cast<Parameters>(arguments)...);
  check(cudaGetLastError(), "cudaLaunchKernel");
}

/// Returns the block's dynamic shared memory, aligned for every vector load.
template <class T>
__device__ T* shared_memory() {
  extern __shared__ __align__(16) unsigned char pipedeck_shared_memory[];
  return reinterpret_cast<T*>(pipedeck_shared_memory);
}

template <class Vector>
__device__ Vector load_vector(const void* from) {
  return *static_cast<const Vector*>(from);
}
template <class Vector>
__device__ void store_vector(void* to, const Vector& value) {
  *static_cast<Vector*>(to) = value;
}

#else

#define PIPEDECK_UNROLL

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const Shape& shape, cudaStream_t stream, const Arguments&... arguments) {
  cuda_on_host::launch({shape.blocks, shape.threads, shape.shared_bytes}, stream,
                       [=] { kernel(static_cast<Parameters>(arguments)...); });
}

template <class T>
T* shared_memory() {
  return static_cast<T*>(cuda_on_host::shared_memory());
}

/// Loads a vector. Like a GPU, it rejects an address that is not aligned for the vector.
template <class Vector>
Vector load_vector(const void* from) {
  cuda_on_host::check_aligned(from, alignof(Vector));
  return *static_cast<const Vector*>(from);
}
template <class Vector>
void store_vector(void* to, const Vector& value) {
  cuda_on_host::check_aligned(to, alignof(Vector));
  *static_cast<Vector*>(to) = value;
}

#endif

}  // namespace pipedeck::runtime::cuda
