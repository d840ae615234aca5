// SPDX-License-Identifier: Apache-2.0
// Kernels as cuda_on_host runs them: the device's memory is the processor's.
#include <cuda_on_host/kernel.hpp>

#include <cstdlib>
#include <new>

#include "tests/core/runtime/cuda/kernel_case.hpp"

namespace pipedeck::test {

std::string why_no_device() { return {}; }

void* allocate_on_device(std::size_t bytes) {
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void free_on_device(void* memory) noexcept { std::free(memory); }
void upload(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void download(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

void in_every_order(const std::function<void()>& run) {
#ifdef __SANITIZE_THREAD__
  run();  // a race is reported in any order
#else
  using cuda_on_host::Order;
  for (const cuda_on_host::Schedule schedule :
       {cuda_on_host::Schedule{Order::forward}, {Order::reverse}, {Order::random, 1}, {Order::random, 2}}) {
    cuda_on_host::set_schedule(schedule);
    run();
  }
  cuda_on_host::set_schedule({});
#endif
}

}  // namespace pipedeck::test
