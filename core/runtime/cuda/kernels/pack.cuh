// SPDX-License-Identifier: Apache-2.0
// Packs of contiguous values: moved by one load of up to 128 bits, and computed as floats.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/launch.hpp"

namespace pipedeck::runtime::cuda {

template <int Width>
struct Pack {
  float value[Width];
};

__device__ inline float to_float(float value) { return value; }
__device__ inline float to_float(Bf16 value) { return __bfloat162float(value); }
template <class T>
__device__ inline T from_float(float value) {
  if constexpr (sizeof(T) == 2)
    return __float2bfloat16_rn(value);
  else
    return value;
}

/// The layout in memory: aligned for loads of up to 128 bits, the maximum.
template <class T, int Width>
inline constexpr std::size_t block_alignment = sizeof(T) * Width < 16 ? sizeof(T) * Width : 16;
template <class T, int Width>
struct alignas(block_alignment<T, Width>) Block {
  T value[Width];
};

template <int Width, class T>
__device__ Pack<Width> load(const T* from) {
  const auto block = load_vector<Block<T, Width>>(from);
  Pack<Width> pack;
  PIPEDECK_UNROLL
  for (int i = 0; i < Width; ++i) pack.value[i] = to_float(block.value[i]);
  return pack;
}

template <class T, int Width>
__device__ void store(T* to, const Pack<Width>& pack) {
  Block<T, Width> block;
  PIPEDECK_UNROLL
  for (int i = 0; i < Width; ++i) block.value[i] = from_float<T>(pack.value[i]);
  store_vector(to, block);
}

/// Number of values of T in 128 bits.
template <class T>
inline constexpr int full_width = 16 / static_cast<int>(sizeof(T));

/// The larger of two types sets the width: 128 bits of that one, fewer of the other.
template <class A, class B>
inline constexpr int common_width = full_width<A> < full_width<B> ? full_width<A> : full_width<B>;

template <int Width, class... T>
bool are_aligned(const T*... pointers) {
  return ((reinterpret_cast<std::uintptr_t>(pointers) % block_alignment<T, Width> == 0) && ...);
}

/// Calls use(std::integral_constant<int, Width>) with Width, or with 1 if such vectors are not allowed.
template <int Width, class Use>
void with_width(bool allowed, const Use& use) {
  if (allowed)
    use(std::integral_constant<int, Width>{});
  else
    use(std::integral_constant<int, 1>{});
}

inline std::int64_t divided_up(std::int64_t count, std::int64_t by) { return (count + by - 1) / by; }

/// Returns enough blocks to fill any GPU; each takes the remaining pieces in turn (a grid-stride loop).
inline unsigned blocks_for(std::int64_t pieces, std::int64_t most = 4096) {
  return static_cast<unsigned>(pieces < 1 ? 1 : pieces < most ? pieces : most);
}

}  // namespace pipedeck::runtime::cuda
