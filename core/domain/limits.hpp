// SPDX-License-Identifier: Apache-2.0
// How large a figure may be before it is taken for a mistake. Sums over a plan stay exact and inside 64 bits.
#pragma once

#include <cstdint>

namespace pipedeck::limits {

inline constexpr std::int64_t bytes = std::int64_t{1} << 53;  ///< whole numbers up to here are exact in JSON readers
inline constexpr double seconds = 1e6;                        ///< of one pass of one layer
inline constexpr std::int64_t total_bytes = std::int64_t{1} << 62;  ///< of sums that the program itself made
inline constexpr double total_seconds = 1e15;
inline constexpr double bytes_per_second = 1e18;
inline constexpr std::int64_t samples = 1'000'000'000;
inline constexpr std::int64_t devices = 65'536;
inline constexpr std::int64_t layers = 100'000;

}  // namespace pipedeck::limits
