// SPDX-License-Identifier: Apache-2.0
// Rotary positions, and the packing of grouped heads. A thread has one position and one pair of values of all heads, so
// that it computes the pair's angle once.
#include <cmath>

#include "core/runtime/cuda/kernels/pack.cuh"

namespace pipedeck::runtime::cuda {
namespace {

constexpr int threads_of_heads = 128;

/// RotaryAngles with what the host computes once.
struct Angles {
  double octaves;  ///< log2 of the base
  double factor, low, high, original;
  explicit Angles(const layers::RotaryAngles& of)
      : octaves(std::log2(of.base)), factor(of.factor), low(of.low), high(of.high), original(of.original) {}
};

struct Turn {
  float cosine, sine;
};

/// Counts turns in doubles, since a late position has many: their fraction is the angle.
__device__ inline Turn turn_of(const Angles& of, std::int64_t position, std::int64_t pair, std::int64_t width) {
  constexpr double circle = 6.283185307179586;
  const double turns = exp2(of.octaves * -2.0 * static_cast<double>(pair) / static_cast<double>(width)) / circle;
  double kept = (of.original * turns - of.low) / (of.high - of.low);
  kept = kept < 0 ? 0 : kept > 1 ? 1 : kept;
  const double whole = static_cast<double>(position) * (turns * (kept + (1 - kept) / of.factor));
  const auto half_turns = static_cast<float>(2 * (whole - rint(whole)));
  return {cospif(half_turns), sinpif(half_turns)};
}

struct Pair {
  float first, second;
};
__device__ inline Pair turned(Pair x, Turn by) {
  return {x.first * by.cosine - x.second * by.sine, x.second * by.cosine + x.first * by.sine};
}
template <class T>
__device__ Pair load_pair(const T* from, std::int64_t half) {
  return {to_float(from[0]), to_float(from[half])};
}
template <class T>
__device__ void store_pair(T* to, std::int64_t half, Pair x) {
  to[0] = from_float<T>(x.first), to[half] = from_float<T>(x.second);
}

template <class T>
__global__ void __launch_bounds__(threads_of_heads)
    pack_heads_kernel(T* qkv, const T* q, const T* k, const T* v, GroupedHeads shape, Angles angles) {
  const std::int64_t half = shape.head_size / 2, shared = shape.heads / shape.key_value_heads;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= shape.sequence * half) return;
  const std::int64_t position = i / half, pair = i % half;
  const Turn turn = turn_of(angles, position, pair, shape.head_size);
  for (std::int64_t sample = blockIdx.y; sample < shape.samples; sample += gridDim.y) {
    const std::int64_t row = sample * shape.sequence + position;
    T* const to = qkv + row * 3 * shape.query_width() + pair;
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      const std::int64_t at = head * shape.head_size,
                         from = row * shape.key_width() + head / shared * shape.head_size + pair;
      store_pair(to + at, half, turned(load_pair(q + row * shape.query_width() + at + pair, half), turn));
      store_pair(to + shape.query_width() + at, half, turned(load_pair(k + from, half), turn));
      store_pair(to + 2 * shape.query_width() + at, half, load_pair(v + from, half));
    }
  }
}

template <class T>
__global__ void __launch_bounds__(threads_of_heads)
    unpack_heads_kernel(T* q, T* k, T* v, const T* qkv, GroupedHeads shape, Angles angles) {
  const std::int64_t half = shape.head_size / 2, shared = shape.heads / shape.key_value_heads;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= shape.sequence * half) return;
  const std::int64_t position = i / half, pair = i % half;
  Turn back = turn_of(angles, position, pair, shape.head_size);
  back.sine = -back.sine;
  for (std::int64_t sample = blockIdx.y; sample < shape.samples; sample += gridDim.y) {
    const std::int64_t row = sample * shape.sequence + position;
    const T* const from = qkv + row * 3 * shape.query_width() + pair;
    for (std::int64_t group = 0; group < shape.key_value_heads; ++group) {
      Pair keys{}, values{};
      for (std::int64_t head = group * shared; head < (group + 1) * shared; ++head) {
        const std::int64_t at = head * shape.head_size;
        store_pair(q + row * shape.query_width() + at + pair, half, turned(load_pair(from + at, half), back));
        const Pair key = load_pair(from + shape.query_width() + at, half),
                   value = load_pair(from + 2 * shape.query_width() + at, half);
        keys.first += key.first, keys.second += key.second;
        values.first += value.first, values.second += value.second;
      }
      const std::int64_t to = row * shape.key_width() + group * shape.head_size + pair;
      store_pair(k + to, half, turned(keys, back));
      store_pair(v + to, half, values);
    }
  }
}

template <class Kernel, class... Arguments>
void launch_heads(Kernel kernel, cudaStream_t stream, const GroupedHeads& shape, const layers::RotaryAngles& angles,
                  Arguments... arguments) {
  const std::int64_t pairs = shape.sequence * (shape.head_size / 2);
  if (pairs <= 0 || shape.samples <= 0 || shape.heads <= 0) return;
  const dim3 blocks{static_cast<unsigned>(divided_up(pairs, threads_of_heads)), blocks_for(shape.samples)};
  launch(kernel, {blocks, threads_of_heads}, stream, arguments..., shape, Angles(angles));
}

}  // namespace

template <class T>
void pack_heads(cudaStream_t stream, T* qkv, const T* q, const T* k, const T* v, const GroupedHeads& shape,
                const layers::RotaryAngles& angles) {
  launch_heads(pack_heads_kernel<T>, stream, shape, angles, qkv, q, k, v);
}

template <class T>
void unpack_heads(cudaStream_t stream, T* q, T* k, T* v, const T* qkv, const GroupedHeads& shape,
                  const layers::RotaryAngles& angles) {
  launch_heads(unpack_heads_kernel<T>, stream, shape, angles, q, k, v, qkv);
}

#define PIPEDECK_INSTANTIATE(T)                                                                    \
  template void pack_heads<T>(cudaStream_t, T*, const T*, const T*, const T*, const GroupedHeads&, \
                              const layers::RotaryAngles&);                                        \
  template void unpack_heads<T>(cudaStream_t, T*, T*, T*, const T*, const GroupedHeads&, const layers::RotaryAngles&);
PIPEDECK_INSTANTIATE(float)
PIPEDECK_INSTANTIATE(Bf16)

}  // namespace pipedeck::runtime::cuda
