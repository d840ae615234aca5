// SPDX-License-Identifier: Apache-2.0
// Units as types, so that bytes can't be mistaken for seconds.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>

namespace pipedeck {

/// A number of one unit. Supports same-unit arithmetic and scaling; all conversions are explicit functions below.
template <class Tag, class Rep>
struct Quantity {
  Rep count{};

  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep value) : count(value) {}

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator+(Quantity other) const { return Quantity(count + other.count); }
  constexpr Quantity operator-(Quantity other) const { return Quantity(count - other.count); }
  constexpr Quantity operator-() const { return Quantity(-count); }
  constexpr Quantity operator*(Rep factor) const { return Quantity(count * factor); }
  constexpr Quantity operator/(Rep divisor) const { return Quantity(count / divisor); }
  constexpr Quantity& operator+=(Quantity other) { return count += other.count, *this; }
  constexpr Quantity& operator-=(Quantity other) { return count -= other.count, *this; }
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
  return Nanoseconds(static_cast<std::int64_t>(std::floor(time.count * 1e9 + 0.5)));
}

}  // namespace pipedeck
