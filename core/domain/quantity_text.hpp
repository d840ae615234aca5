// SPDX-License-Identifier: Apache-2.0
// Figures as people type them: "25 Gbit/s", "3.1 GB/s", "16 GiB", "5 us". The space is optional, a comma may stand for
// the decimal point, letters may be of either case where that is not ambiguous (b is a bit, B a byte).
#pragma once

#include <string>
#include <string_view>

#include "core/domain/result.hpp"
#include "core/domain/units.hpp"

namespace pipedeck {

/// What a figure measures, and so which units it may carry.
enum class Measure {
  bytes,    ///< B kB KB MB GB TB (powers of 1000), KiB MiB GiB TiB (of 1024); in bytes
  rate,     ///< bytes a second (GB/s, MiB/s), bits a second (Gbit/s, Gb/s, Gbps); in bytes a second
  time,     ///< ns us µs ms s min h d; in seconds
  number,   ///< no unit
  percent,  ///< "5 %" is 0.05; without the sign percent are meant too
};

/// The figure in its base unit, finite. `unit` is what a figure without one is in, e.g. "GB/s"; empty: the base unit.
/// bad_input says what was found and gives examples of what is expected.
Result<double> parse_quantity(Measure measure, std::string_view text, std::string_view unit = {});

/// Whole bytes, at least 0.
Result<Bytes> parse_bytes(std::string_view text, std::string_view unit = {});
/// Above 0.
Result<BytesPerSecond> parse_rate(std::string_view text, std::string_view unit = {});
/// At least 0.
Result<Seconds> parse_time(std::string_view text, std::string_view unit = {});

}  // namespace pipedeck
