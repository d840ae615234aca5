// SPDX-License-Identifier: Apache-2.0
// Numbers as decimal text, moved by whole powers of ten: "8.07" milliseconds are 8.07e-3 seconds, correctly rounded
// once. Reading what was written gives the same double, in any unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pipedeck::io::text {

/// The double nearest to text x 10^shift; nothing where the text is no plain decimal number or too large.
std::optional<double> decimal_to_double(std::string_view text, int shift = 0);

/// The fewest digits that read back as `value` with decimal_to_double(text, -shift).
std::string double_to_decimal(double value, int shift = 0);

/// A whole number without point or exponent; nothing where it is not one or exceeds 64 bits.
std::optional<std::int64_t> decimal_to_integer(std::string_view text);

/// value / 10^digits, exactly: nanoseconds as milliseconds with digits = 6.
std::string integer_to_decimal(std::int64_t value, int digits);

}  // namespace pipedeck::io::text
