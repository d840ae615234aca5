// SPDX-License-Identifier: Apache-2.0
// Kernels as nvcc compiles them, on the first GPU.
#include "core/runtime/cuda/library.hpp"
#include "tests/core/runtime/cuda/kernel_case.hpp"
#include "tests/core/runtime/cuda/skip_without_gpu.hpp"

namespace pipedeck::test {

using runtime::cuda::check;

std::string why_no_device() { return why_no_gpus(1).toStdString(); }

void* allocate_on_device(std::size_t bytes) {
  void* memory = nullptr;
  runtime::cuda::check(cudaMalloc(&memory, bytes), "cudaMalloc");
  return memory;
}
void free_on_device(void* memory) noexcept { static_cast<void>(cudaFree(memory)); }
void upload(void* to, const void* from, std::size_t bytes) {
  runtime::cuda::check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}
void download(void* to, const void* from, std::size_t bytes) {
  runtime::cuda::check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

/// A GPU chooses its order itself; two runs of it need not be the same.
void in_every_order(const std::function<void()>& run) {
  for (int i = 0; i < 3; ++i) run();
}

}  // namespace pipedeck::test
