// SPDX-License-Identifier: Apache-2.0
// Large counts and sums of money as people type them: "300B tokens", "1.5 T", "50k", "$50000".
#pragma once

#include <string>
#include <string_view>

#include "core/domain/result.hpp"

namespace pipedeck {

/// A count above 0; k, M, B (or G) and T stand for powers of 1000, `noun` ("tokens") may stand behind it. bad_input
/// says what was found and what is expected.
Result<double> parse_count(std::string_view text, std::string_view noun = {});

/// A sum above 0 of `currency` ("USD"), which may stand before or behind it, $ for USD; k and M as above.
Result<double> parse_money(std::string_view text, std::string_view currency);

/// "300B", "1.5T", "12500": with a letter and four digits from a million on.
std::string count_text(double count);

}  // namespace pipedeck
