// SPDX-License-Identifier: Apache-2.0
// Kernels that are emulated run on the stand-in's streams. Compiled into each program that links both.
#include <cuda_on_host/kernel.hpp>

#include "tests/support/cuda_stand_in/stand_in.hpp"

namespace {

[[maybe_unused]] const bool connected = [] {
  cuda_on_host::set_submit([](cudaStream_t stream, std::function<void()> work, std::size_t kernel) {
    cuda_stand_in::enqueue(stream, std::move(work), kernel);
  });
  return true;
}();

}  // namespace
