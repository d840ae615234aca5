// SPDX-License-Identifier: Apache-2.0
// Basic checks for validation. Each returns the first broken rule with its place.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/base/result.hpp"
#include "core/base/units.hpp"

namespace pipedeck::checks {

inline Result<void> fine() { return {}; }

inline tl::unexpected<Error> bad(std::string place, std::string message) {
  return fail(ErrorCode::bad_input, std::move(message), std::move(place));
}

inline Result<void> integer(const std::string& place, std::int64_t found, std::int64_t least, std::int64_t most) {
  if (found < least || found > most)
    return bad(place, fmt::format("found {}, expected a whole number from {} to {}", found, least, most));
  return {};
}

inline Result<void> bytes(const std::string& place, Bytes found) {
  return integer(place, found.count, 0, limits::bytes);
}

inline Result<void> number(const std::string& place, double found, double least, double most) {
  if (!(found >= least && found <= most))  // also catches NaN
    return bad(place, fmt::format("found {}, expected a finite number from {} to {}", found, least, most));
  return {};
}

inline Result<void> positive(const std::string& place, double found, double most) {
  if (!(found > 0 && found <= most))
    return bad(place, fmt::format("found {}, expected a finite number above 0, at most {}", found, most));
  if (found < limits::least_positive)
    return bad(place, fmt::format("found {}, expected at least {}", found, limits::least_positive));
  return {};
}

inline bool is_bandwidth(BytesPerSecond found) {
  return found.count >= limits::min_bytes_per_second && found.count <= limits::bytes_per_second;
}

/// Checks a bandwidth. The error states it in GB/s, the unit of the files.
inline Result<void> bandwidth(const std::string& place, BytesPerSecond found) {
  if (is_bandwidth(found)) return {};
  return bad(place, fmt::format("found {}, expected a finite number from {} to {} GB/s", in_gigabytes_per_second(found),
                                limits::min_bytes_per_second / 1e9, limits::bytes_per_second / 1e9));
}

/// Checks a time. The error states it in milliseconds, the unit of the files.
inline Result<void> duration(const std::string& place, Seconds found) {
  if (!(found.count >= 0 && found.count <= limits::seconds))
    return bad(place, fmt::format("found {} ms, expected a finite time from 0 to {} ms", in_milliseconds(found),
                                  limits::seconds * 1e3));
  return {};
}

}  // namespace pipedeck::checks
