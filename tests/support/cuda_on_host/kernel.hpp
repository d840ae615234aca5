// SPDX-License-Identifier: Apache-2.0
// Runs CUDA kernels on the processor, to test them. A block's threads are fibers of one thread of the processor. They
// change only where CUDA lets threads meet (__syncthreads and collective operations of a warp). Between two meetings
// each thread runs alone, in an order that a test chooses: a kernel that lacks a barrier gives other bits in another
// order. Undefined behaviour in CUDA ends in an Error: a barrier that a part of the block does not reach, lanes of a
// warp that meet at different operations, a shuffle from an absent lane, misaligned vectors, writes past shared memory.
// Shared memory is full of NaN when a block begins. In a build with ThreadSanitizer every race is reported, also
// between blocks (races.hpp).
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <stdexcept>

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#define __launch_bounds__(...)

namespace cuda_on_host {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Shape {
  dim3 blocks, threads;
  std::size_t shared_bytes;
};

/// In which order blocks run, and threads between two meetings. Forward and reverse, a warp runs to the block's next
/// barrier before another one begins.
enum class Order { forward, reverse, random };
struct Schedule {
  Order order = Order::forward;
  std::uint64_t seed = 0;  ///< of a random order
};
/// For every launch from now on, from whichever thread.
void set_schedule(Schedule schedule);

/// Runs a kernel's work, in the stream's order. `kernel` is equal for kernels with parameters of equal types. Without
/// one, a kernel runs before launch returns.
using Submit = void (*)(cudaStream_t stream, std::function<void()> work, std::size_t kernel);
void set_submit(Submit submit);

/// `thread` is called once for each thread of each block. Throws Error where CUDA would refuse the shape; what is found
/// while the kernel runs is thrown where it runs.
void launch(const Shape& shape, cudaStream_t stream, std::function<void()> thread);

void* shared_memory();
void check_aligned(const void* address, std::size_t bytes);

/// A function on the contributions of `lanes` at a warp's meeting: registers, which it exchanges. `work` gets all 32
/// (null for a lane that is not named). As on a GPU, the meeting orders no accesses to memory; sync_warp() does.
using WarpWork = void (*)(void* const* lanes, unsigned named);
void meet_in_warp(unsigned lanes, WarpWork work, void* own);
void sync_warp(unsigned lanes);
void meet_in_block();

template <class T>
struct Shuffle {
  T value;
  int from;
  T result;
};

template <class T>
T shuffle(unsigned lanes, T value, int from) {
  Shuffle<T> own{value, from, value};
  meet_in_warp(
      lanes,
      [](void* const* all, unsigned named) {
        for (int lane = 0; lane < 32; ++lane) {
          if (all[lane] == nullptr) continue;
          auto& asked = *static_cast<Shuffle<T>*>(all[lane]);
          if (asked.from < 0 || asked.from > 31 || (named >> asked.from & 1u) == 0)
            throw Error("a shuffle from a lane that takes no part in it");
          asked.result = static_cast<Shuffle<T>*>(all[asked.from])->value;
        }
      },
      &own);
  return own.result;
}

int own_lane();

}  // namespace cuda_on_host

// The names that device code has without any include, as in the CUDA C++ Programming Guide.
inline constinit thread_local uint3 threadIdx{}, blockIdx{};
inline constinit thread_local dim3 blockDim{}, gridDim{};

inline float cospif(float x) { return static_cast<float>(std::cos(std::numbers::pi * double{x})); }
inline float sinpif(float x) { return static_cast<float>(std::sin(std::numbers::pi * double{x})); }

inline void __syncthreads() { cuda_on_host::meet_in_block(); }
inline void __syncwarp(unsigned lanes = 0xffffffffu) { cuda_on_host::sync_warp(lanes); }
template <class T>
T __shfl_sync(unsigned lanes, T value, int from) {
  return cuda_on_host::shuffle(lanes, value, from);
}
template <class T>
T __shfl_xor_sync(unsigned lanes, T value, int difference) {
  return cuda_on_host::shuffle(lanes, value, cuda_on_host::own_lane() ^ difference);
}
