// SPDX-License-Identifier: Apache-2.0
// Units as types, so that bytes can't be mistaken for seconds.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace pipedeck {

/// Sums, differences and products that stop at the limits of a 64-bit count instead of wrapping round.
namespace saturating {

constexpr std::int64_t limit(bool below_zero) {
  return below_zero ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}
constexpr double add(double a, double b) { return a + b; }
constexpr double subtract(double a, double b) { return a - b; }
constexpr double multiply(double a, double b) { return a * b; }
constexpr std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? limit(a < 0) : sum;
}
constexpr std::int64_t subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? limit(a < 0) : difference;
}
constexpr std::int64_t multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? limit((a < 0) != (b < 0)) : product;
}
/// Converts towards zero; NaN becomes 0.
constexpr std::int64_t whole(double value) {
  constexpr double end = 9223372036854775808.0;  // 2^63, the first count that does not fit
  if (value >= -end && value < end) return static_cast<std::int64_t>(value);
  return value != value ? 0 : limit(value < 0);
}

}  // namespace saturating

/// A number of one unit. Supports same-unit arithmetic and scaling; all conversions are explicit functions below. Whole
/// numbers saturate.
template <class Tag, class Rep>
struct Quantity {
  Rep count{};

  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep value) : count(value) {}

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator+(Quantity other) const { return Quantity(saturating::add(count, other.count)); }
  constexpr Quantity operator-(Quantity other) const { return Quantity(saturating::subtract(count, other.count)); }
  constexpr Quantity operator-() const { return Quantity() - *this; }
  constexpr Quantity operator*(Rep factor) const { return Quantity(saturating::multiply(count, factor)); }
  constexpr Quantity operator/(Rep divisor) const { return Quantity(count / divisor); }
  constexpr Quantity& operator+=(Quantity other) { return *this = *this + other; }
  constexpr Quantity& operator-=(Quantity other) { return *this = *this - other; }
};

template <class Tag, class Rep>
constexpr Quantity<Tag, Rep> operator*(Rep factor, Quantity<Tag, Rep> quantity) {
  return quantity * factor;
}

using Seconds = Quantity<struct SecondsTag, double>;
using Nanoseconds = Quantity<struct NanosecondsTag, std::int64_t>;  ///< the simulator's clock
using Bytes = Quantity<struct BytesTag, std::int64_t>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag, double>;

constexpr Seconds operator/(Bytes bytes, BytesPerSecond rate) {
  return Seconds(static_cast<double>(bytes.count) / rate.count);
}

constexpr Seconds milliseconds(double value) { return Seconds(value * 1e-3); }
constexpr Seconds microseconds(double value) { return Seconds(value * 1e-6); }
constexpr double in_milliseconds(Seconds time) { return time.count * 1e3; }
constexpr double in_milliseconds(Nanoseconds time) { return static_cast<double>(time.count) / 1e6; }
constexpr double in_microseconds(Seconds time) { return time.count * 1e6; }
constexpr BytesPerSecond gigabytes_per_second(double value) { return BytesPerSecond(value * 1e9); }
constexpr double in_gigabytes_per_second(BytesPerSecond rate) { return rate.count / 1e9; }
constexpr Seconds to_seconds(Nanoseconds time) { return Seconds(static_cast<double>(time.count) * 1e-9); }

/// Rounds to whole nanoseconds, half up. The only rounding of every operation's duration (formats.md).
inline Nanoseconds round_to_nanoseconds(Seconds time) {
  return Nanoseconds(saturating::whole(std::floor(time.count * 1e9 + 0.5)));
}
/// Rounds to whole bytes, half away from zero.
inline Bytes round_to_bytes(double bytes) { return Bytes(saturating::whole(std::round(bytes))); }
/// Rounds up to whole bytes.
inline Bytes ceil_to_bytes(double bytes) { return Bytes(saturating::whole(std::ceil(bytes))); }

}  // namespace pipedeck
