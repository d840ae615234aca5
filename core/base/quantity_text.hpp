// SPDX-License-Identifier: Apache-2.0
// Quantities as users type them: "25 Gbit/s", "3.1 GB/s", "16 GiB", "5 us". The space is optional, and a comma may be
// the decimal separator. Case is ignored where it is not ambiguous (b is a bit, B a byte).
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/base/units.hpp"

namespace pipedeck {

/// A kind of quantity, which determines its units.
enum class QuantityKind {
  bytes,    ///< B kB KB MB GB TB (powers of 1000), KiB MiB GiB TiB (of 1024); in bytes
  rate,     ///< bytes/s (GB/s, MiB/s), bits/s (Gbit/s, Gb/s, Gbps); in bytes/s
  time,     ///< ns us µs ms s min h d; in seconds
  number,   ///< no unit
  percent,  ///< "5 %" is 0.05; a number without the sign is in percent, too
};

/// Parses a quantity and returns its finite value in the base unit. `unit` is the default unit, e.g. "GB/s"; empty: the
/// base unit. bad_input names the text found and gives examples of valid ones.
Result<double> parse_quantity(QuantityKind measure, std::string_view text, std::string_view unit = {});

/// Parses whole bytes, at least 0.
Result<Bytes> parse_bytes(std::string_view text, std::string_view unit = {});
/// Parses a rate above 0.
Result<BytesPerSecond> parse_bandwidth(std::string_view text, std::string_view unit = {});
/// Parses a time, at least 0.
Result<Seconds> parse_time(std::string_view text, std::string_view unit = {});

/// Returns true for a unit alone: "GB/s" of a rate, "us" of a time. False for a text that begins as a number, since the
/// test prepends "1".
inline bool is_unit(QuantityKind measure, const std::string& text) {
  const bool letter =
      !text.empty() && std::string_view("0123456789.,eE+-").find(text.front()) == std::string_view::npos;
  return letter && parse_quantity(measure, "1" + text).has_value();
}

}  // namespace pipedeck
