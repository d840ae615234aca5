// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine, standard library and plan: SplitMix64 (Steele, Lea, Flood, 2014).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace pipedeck {

constexpr std::uint64_t random_step = 0x9e3779b97f4a7c15ULL;

constexpr std::uint64_t mix_bits(std::uint64_t value) {
  value += random_step;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// Starts stream number `stream` of `seed`. Streams of one seed are as independent as streams of two seeds.
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mix_bits(mix_bits(seed) ^ stream)) {}

  std::uint64_t next() {
    const std::uint64_t value = mix_bits(state_);
    state_ += random_step;
    return value;
  }
  /// Returns an integer in [0, bound).
  std::uint64_t uniform_int(std::uint64_t bound) { return next() % bound; }
  /// Returns a number in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool coin() { return next() >> 63 != 0; }
  template <class Container>
  auto any_of(const Container& container) {
    return *std::next(container.begin(), static_cast<std::ptrdiff_t>(uniform_int(container.size())));
  }
  /// Returns a number with mean 0 and variance 1, within +-3.47: the sum of four uniform numbers (Irwin-Hall), which
  /// needs no logarithm.
  float normal() {
    const std::uint64_t bits = next();
    const auto sum = (bits & 0xffff) + ((bits >> 16) & 0xffff) + ((bits >> 32) & 0xffff) + (bits >> 48);
    return (static_cast<float>(sum) - 131070.0f) * (1.7320508f / 65536.0f);
  }

 private:
  std::uint64_t state_;
};

}  // namespace pipedeck
