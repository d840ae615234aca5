// SPDX-License-Identifier: Apache-2.0
// Launches of kernels. nvcc compiles a .cu file for GPUs. Any other compiler takes the same file as C++, and
// cuda_on_host (tests/support) runs the threads of each block sequentially on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#ifndef __CUDACC__
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

/// Enqueues kernel(arguments...) on the stream. Does not wait. Throws CudaError if it cannot be launched.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const Shape& shape, cudaStream_t stream, const Arguments&... arguments) {
  if (shape.shared_bytes > shared_bytes_unasked)
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape.shared_bytes)),
          "cudaFuncSetAttribute");
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
