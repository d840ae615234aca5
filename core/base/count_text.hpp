// SPDX-License-Identifier: Apache-2.0
// Counts in words. Large counts and sums of money as users type them: "300B tokens", "1.5 T", "50k", "$50000".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace pipedeck {

/// Parses a count above 0. The suffixes k, M, B (or G) and T stand for powers of 1000; `noun` ("tokens") may follow.
/// bad_input names the text found and the text expected.
Result<double> parse_count(std::string_view text, std::string_view noun = {});

/// Parses a sum above 0 of `currency` ("USD"), which may come before or after it; $ stands for USD. Takes the suffixes
/// of parse_count.
Result<double> parse_money(std::string_view text, std::string_view currency);

/// Returns "1 stage", "2 stages", "3 micro-batches".
std::string counted(std::int64_t count, std::string_view noun);

/// Returns "300B", "1.5T" or "12500": from a million on with a suffix and four digits.
std::string format_count(double count);

}  // namespace pipedeck
