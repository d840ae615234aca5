// SPDX-License-Identifier: Apache-2.0
// Runs one kernel, with or without its barrier, in a build with ThreadSanitizer:
//   racing_kernels CASE with|without
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/runtime/cuda/launch.hpp"

namespace {

using pipedeck::runtime::cuda::shared_memory;

constexpr unsigned threads = 64;

/// Reverses a block's values through shared memory.
void block(float* values, bool barrier) {
  auto* shared = shared_memory<float>();
  shared[threadIdx.x] = values[threadIdx.x];
  if (barrier) __syncthreads();
  values[threadIdx.x] = shared[threads - 1 - threadIdx.x];
}

/// Exchanges the halves of a warp.
void warp(float* values, bool barrier) {
  auto* shared = shared_memory<float>();
  shared[threadIdx.x] = values[threadIdx.x];
  if (barrier) __syncwarp();
  values[threadIdx.x] = shared[threadIdx.x ^ 16u];
}

/// Exchanges the halves after a shuffle, which orders no memory.
void shuffle(float* values, bool barrier) {
  auto* shared = shared_memory<float>();
  shared[threadIdx.x] = values[threadIdx.x];
  const float other = __shfl_xor_sync(0xffffffffu, values[threadIdx.x], 1);
  if (barrier) __syncwarp();
  values[threadIdx.x] = shared[threadIdx.x ^ 16u] + other;
}

/// Overwrites what slower threads still read, one barrier after the first.
void reuse(float* values, bool barrier) {
  auto* shared = shared_memory<float>();
  shared[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  const float other = shared[threadIdx.x ^ 32u];
  if (barrier) __syncthreads();
  shared[threadIdx.x] = other;
  __syncthreads();
  values[threadIdx.x] = shared[threadIdx.x ^ 32u];
}

/// Without a place for each, two blocks write the same value to one place: no order of threads shows that.
void blocks(float* values, bool own_places) {
  values[own_places ? blockIdx.x * threads + threadIdx.x : threadIdx.x] = 1;
}

struct Case {
  const char* name;
  void (*kernel)(float*, bool);
};
constexpr Case cases[] = {{"block", block}, {"warp", warp}, {"shuffle", shuffle}, {"reuse", reuse}, {"blocks", blocks}};

}  // namespace

int main(int count, char** arguments) {
  for (const Case& one : cases) {
    if (count != 3 || std::strcmp(one.name, arguments[1]) != 0) continue;
    std::vector<float> values(2 * threads, 1);
    const unsigned grid = one.kernel == blocks ? 2 : 1;
    const bool barrier = std::strcmp(arguments[2], "with") == 0;
    for (int launches = 0; launches < 2; ++launches)  // kernels of a stream are in order
      pipedeck::runtime::cuda::launch(one.kernel, {grid, threads, threads * sizeof(float)}, nullptr, values.data(),
                                      barrier);
    return 0;
  }
  std::fprintf(stderr, "found %s, expected a case, and with or without\n", count > 1 ? arguments[1] : "no argument");
  return 2;
}
