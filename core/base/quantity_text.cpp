// SPDX-License-Identifier: Apache-2.0
#include "core/base/quantity_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

namespace pipedeck {

namespace {

struct Unit {
  std::string_view name;
  double size;
};

constexpr double kibi = 1024;
constexpr std::array byte_units{Unit{"B", 1},
                                Unit{"kB", 1e3},
                                Unit{"MB", 1e6},
                                Unit{"GB", 1e9},
                                Unit{"TB", 1e12},
                                Unit{"PB", 1e15},
                                Unit{"KiB", kibi},
                                Unit{"MiB", kibi* kibi},
                                Unit{"GiB", kibi* kibi* kibi},
                                Unit{"TiB", kibi* kibi* kibi* kibi}};
constexpr std::array bit_units{Unit{"b", 1.0 / 8}, Unit{"kb", 1e3 / 8}, Unit{"Mb", 1e6 / 8}, Unit{"Gb", 1e9 / 8},
                               Unit{"Tb", 1e12 / 8}};
constexpr std::array time_units{Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"µs", 1e-6},
                                Unit{"μs", 1e-6}, Unit{"ms", 1e-3}, Unit{"s", 1},
                                Unit{"min", 60},  Unit{"h", 3600},  Unit{"d", 86400}};
constexpr std::array percent_units{Unit{"%", 0.01}};

bool is_space(unsigned char c) { return c == ' ' || c == '\t'; }

/// Removes spaces of any kind; no-break spaces are two or three bytes.
std::string without_spaces(std::string_view text) {
  std::string plain(text);
  for (const std::string_view space : {"\u00a0", "\u202f", "\u2009"}) {
    for (std::size_t at; (at = plain.find(space)) != std::string::npos;) plain.erase(at, space.size());
  }
  std::erase_if(plain, [](char c) { return is_space(static_cast<unsigned char>(c)); });
  return plain;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return result;
}

/// Looks up the name as written, then ignoring case.
std::optional<double> size_of(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return unit.size;
  for (const Unit& unit : units)
    if (lower(unit.name) == lower(name)) return unit.size;
  return std::nullopt;
}

bool consume_unit_suffix(std::string_view& text, std::string_view end) {
  if (!lower(text).ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

/// Returns the size of "GB/s", "Gbit/s", "Gb/s" or "Gbps"; in GBps, B means bytes.
std::optional<double> rate_size(std::string_view name) {
  if (!consume_unit_suffix(name, "/s") && !consume_unit_suffix(name, "ps")) return std::nullopt;
  if (consume_unit_suffix(name, "bit") || consume_unit_suffix(name, "bits"))
    return size_of(bit_units, std::string(name) + "b");
  if (name.ends_with('b')) return size_of(bit_units, name);
  return size_of(byte_units, name);
}

std::optional<double> unit_size(QuantityKind measure, std::string_view name) {
  switch (measure) {
    case QuantityKind::bytes:
      return size_of(byte_units, name);
    case QuantityKind::rate:
      return rate_size(name);
    case QuantityKind::time:
      return size_of(time_units, name);
    case QuantityKind::percent:
      return size_of(percent_units, name);
    case QuantityKind::number:
      break;
  }
  return std::nullopt;
}

std::string_view examples(QuantityKind measure) {
  switch (measure) {
    case QuantityKind::bytes:
      return "a size such as '16 GiB' or '640 MB'";
    case QuantityKind::rate:
      return "a bandwidth such as '25 Gbit/s' or '3.1 GB/s'";
    case QuantityKind::time:
      return "a time such as '5 us' or '1.2 ms'";
    case QuantityKind::percent:
      return "a share such as '5 %'";
    case QuantityKind::number:
      break;
  }
  return "a number such as '1.5'";
}

double default_size(QuantityKind measure, std::string_view unit) {
  if (!unit.empty()) return unit_size(measure, unit).value_or(1);
  return measure == QuantityKind::percent ? 0.01 : 1;
}

/// Divides for thousandths and smaller, which rounds to nearest: 2.25 ms are 0.00225 s, as everywhere.
double in_base_unit(double figure, double size) {
  const double parts = std::round(1 / size);
  return size < 1 && std::abs(parts * size - 1) < 1e-12 ? figure / parts : figure * size;
}

}  // namespace

Result<double> parse_quantity(QuantityKind measure, std::string_view text, std::string_view unit) {
  const auto refuse = [&] {
    return fail(ErrorCode::bad_input, fmt::format("found '{}', expected {}", text, examples(measure)));
  };
  std::string plain = without_spaces(text);
  for (const std::string_view minus : {"−", "–"}) {
    if (plain.starts_with(minus)) plain.replace(0, minus.size(), "-");
  }
  // A single comma is a decimal comma. If there is a point, too, the comma's meaning is not clear.
  if (const std::size_t comma = plain.find(','); comma != std::string::npos) {
    if (plain.find('.') != std::string::npos) return refuse();
    plain[comma] = '.';
  }
  std::string_view rest = plain;
  if (rest.starts_with('+')) rest.remove_prefix(1);
  double figure = 0;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), figure);
  // from_chars also accepts "inf" and "nan".
  if (problem != std::errc() || !std::isfinite(figure)) return refuse();
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  const std::optional<double> size = rest.empty() ? default_size(measure, unit) : unit_size(measure, rest);
  if (!size || !std::isfinite(figure * *size)) return refuse();
  return in_base_unit(figure, *size);
}

Result<Bytes> parse_bytes(std::string_view text, std::string_view unit) {
  TRY(auto bytes, parse_quantity(QuantityKind::bytes, text, unit));
  if (bytes < 0 || bytes > 9e18)
    return fail(ErrorCode::bad_input, fmt::format("found '{}', expected {}", text, examples(QuantityKind::bytes)));
  return Bytes(std::llround(bytes));
}

Result<BytesPerSecond> parse_bandwidth(std::string_view text, std::string_view unit) {
  TRY(auto rate, parse_quantity(QuantityKind::rate, text, unit));
  if (rate <= 0)
    return fail(ErrorCode::bad_input, fmt::format("found '{}', expected {}", text, examples(QuantityKind::rate)));
  return BytesPerSecond(rate);
}

Result<Seconds> parse_time(std::string_view text, std::string_view unit) {
  TRY(auto time, parse_quantity(QuantityKind::time, text, unit));
  if (time < 0)
    return fail(ErrorCode::bad_input, fmt::format("found '{}', expected {}", text, examples(QuantityKind::time)));
  return Seconds(time);
}

}  // namespace pipedeck
