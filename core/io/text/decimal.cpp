// SPDX-License-Identifier: Apache-2.0
#include "core/io/text/decimal.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "core/base/result.hpp"

namespace pipedeck::io::text {
namespace {

/// Digits d1d2d3... and exponent e of d1.d2d3... x 10^e, the shortest that round-trips.
struct Scientific {
  bool negative = false;
  std::string digits;
  int exponent = 0;
};

Scientific shortest(double value) {
  std::array<char, 40> buffer;
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  Scientific out;
  const std::size_t e = text.find('e');
  for (const char c : text.substr(0, e)) {
    if (c == '-') out.negative = true;
    if (c >= '0' && c <= '9') out.digits += c;
  }
  const char* exponent = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(exponent, text.data() + text.size(), out.exponent);
  return out;
}

std::string fixed(const std::string& digits, int exponent) {
  const int count = static_cast<int>(digits.size());
  if (exponent < 0) return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (exponent + 1 >= count) return digits + std::string(static_cast<std::size_t>(exponent + 1 - count), '0') + ".0";
  return digits.substr(0, static_cast<std::size_t>(exponent + 1)) + '.' +
         digits.substr(static_cast<std::size_t>(exponent + 1));
}

}  // namespace

std::optional<double> decimal_to_double(std::string_view text, int shift) {
  const std::size_t e = text.find_first_of("eE");
  std::int64_t exponent = 0;
  if (e != text.npos) {
    std::string_view part = text.substr(e + 1);
    if (part.starts_with('+')) part.remove_prefix(1);
    const auto read = std::from_chars(part.data(), part.data() + part.size(), exponent);
    if (read.ptr != part.data() + part.size()) return std::nullopt;
    if (read.ec == std::errc::result_out_of_range) exponent = part.starts_with('-') ? -1'000'000 : 1'000'000;
    if (exponent > 1'000'000 || exponent < -1'000'000) exponent = exponent > 0 ? 1'000'000 : -1'000'000;
  }
  const std::string shifted = std::string(text.substr(0, e)) + 'e' + std::to_string(exponent + shift);
  double value = 0;
  const auto read = std::from_chars(shifted.data(), shifted.data() + shifted.size(), value);
  if (read.ptr != shifted.data() + shifted.size()) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) {
    // Both too large and too small end here; too small is as good as nothing.
    return exponent < 0 ? std::optional<double>(0.0) : std::nullopt;
  }
  if (read.ec != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string double_to_decimal(double value, int shift) {
  ensure(std::isfinite(value), "only finite numbers are written");
  if (value == 0) return "0.0";
  Scientific number = shortest(value);
  number.exponent += shift;
  const std::string sign = number.negative ? "-" : "";
  if (number.exponent >= -7 && number.exponent <= 20) return sign + fixed(number.digits, number.exponent);
  std::string digits = number.digits.substr(0, 1);
  if (number.digits.size() > 1) digits += '.' + number.digits.substr(1);
  return sign + digits + 'e' + std::to_string(number.exponent);
}

std::optional<std::int64_t> decimal_to_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string integer_to_decimal(std::int64_t value, int digits) {
  std::string text = std::to_string(value < 0 ? -value : value);
  const auto places = static_cast<std::size_t>(digits);
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  text.insert(text.size() - places, ".");
  while (text.back() == '0' && text[text.size() - 2] != '.') text.pop_back();
  return (value < 0 ? "-" : "") + text;
}

}  // namespace pipedeck::io::text
