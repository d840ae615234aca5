// SPDX-License-Identifier: Apache-2.0
// Bounds of values; anything beyond is taken for a mistake. Sums over a plan stay exact and within 64 bits.
#pragma once

#include <cstdint>

namespace pipedeck::limits {

inline constexpr std::int64_t bytes = std::int64_t{1} << 53;        ///< integers up to this are exact in JSON readers
inline constexpr double seconds = 1e6;                              ///< per pass of a layer
inline constexpr std::int64_t total_bytes = std::int64_t{1} << 62;  ///< for sums computed by the program
inline constexpr double total_seconds = 1e15;
inline constexpr double iteration_seconds = 3e8;   ///< of a global batch, pass after pass: about 10 years
inline constexpr double iteration_bytes = 0x1p61;  ///< kept for a global batch, and its model states
inline constexpr double min_bytes_per_second = 1e3;
inline constexpr double bytes_per_second = 1e18;
inline constexpr double least_positive = 1e-12;  ///< of other figures that are above 0
inline constexpr std::int64_t samples = 1'000'000'000;
inline constexpr std::int64_t devices = 65'536;
inline constexpr std::int64_t layers = 100'000;

}  // namespace pipedeck::limits
