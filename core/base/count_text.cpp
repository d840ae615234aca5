// SPDX-License-Identifier: Apache-2.0
#include "core/base/count_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/quantity_text.hpp"

namespace pipedeck {
namespace {

constexpr std::array<std::pair<char, double>, 5> letters{{{'k', 1e3}, {'M', 1e6}, {'B', 1e9}, {'G', 1e9}, {'T', 1e12}}};

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool equals_ignore_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return upper(x) == upper(y); });
}

bool remove_suffix(std::string& text, std::string_view end) {
  if (end.empty() || text.size() < end.size() ||
      !equals_ignore_case(std::string_view(text).substr(text.size() - end.size()), end))
    return false;
  text = trimmed(std::string_view(text).substr(0, text.size() - end.size()));
  return true;
}

bool remove_prefix(std::string& text, std::string_view begin) {
  if (text.size() < begin.size() || !equals_ignore_case(std::string_view(text).substr(0, begin.size()), begin))
    return false;
  text = trimmed(std::string_view(text).substr(begin.size()));
  return true;
}

/// Removes the suffix from `text` and returns its factor.
double consume_magnitude_suffix(std::string& text) {
  if (text.empty()) return 1;
  for (const auto& [letter, factor] : letters)
    if (upper(text.back()) == upper(letter)) {
      text = trimmed(std::string_view(text).substr(0, text.size() - 1));
      return factor;
    }
  return 1;
}

/// Returns a finite number above 0 with an optional suffix; 0 for anything else.
double parse_number(std::string text) {
  const double factor = consume_magnitude_suffix(text);
  const auto number = parse_quantity(QuantityKind::number, text);
  const double value = number ? *number * factor : 0;
  return std::isfinite(value) && value > 0 ? value : 0;
}

}  // namespace

Result<double> parse_count(std::string_view text, std::string_view noun) {
  std::string rest = trimmed(text);
  remove_suffix(rest, noun);
  if (const double count = parse_number(rest); count > 0) return count;
  return fail(ErrorCode::bad_input,
              fmt::format("found '{}', expected a count such as '300B', '1.5T' or '20000'", text));
}

Result<double> parse_money(std::string_view text, std::string_view currency) {
  std::string rest = trimmed(text);
  if (!(currency == "USD" && remove_prefix(rest, "$")) && !remove_prefix(rest, currency)) remove_suffix(rest, currency);
  if (const double sum = parse_number(rest); sum > 0) return sum;
  return fail(ErrorCode::bad_input, fmt::format("found '{}', expected a sum of {} such as '{}' or '50k'", text,
                                                currency, currency == "USD" ? "$50000" : "50000"));
}

std::string counted(std::int64_t count, std::string_view noun) {
  const bool hisses = noun.ends_with("ch") || noun.ends_with("sh") || noun.ends_with('s') || noun.ends_with('x');
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : hisses ? "es" : "s");
}

std::string format_count(double count) {
  for (const auto& [letter, size] : {std::pair{'T', 1e12}, std::pair{'B', 1e9}, std::pair{'M', 1e6}})
    if (count >= size) return fmt::format("{:.4g}{}", count / size, letter);
  return fmt::format("{:.0f}", count);
}

}  // namespace pipedeck
