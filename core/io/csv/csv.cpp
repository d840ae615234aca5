// SPDX-License-Identifier: Apache-2.0
#include "core/io/csv/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "core/base/result.hpp"
#include "core/io/text/decimal.hpp"

namespace pipedeck::io::csv {
namespace {

void append_field(std::string& line, const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) {
    line += field;
    return;
  }
  line += '"';
  for (const char c : field) line.append(c == '"' ? 2 : 1, c);
  line += '"';
}

template <class Fields, class Text>
void append_line(std::string& lines, const Fields& fields, const Text& text) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) lines += ',';
    append_field(lines, text(fields[i]));
  }
  lines += "\r\n";
}

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// `text`: perhaps behind apostrophes, which then count as one more character to keep.
bool looks_like_formula(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\''), text.size()));
  return !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos && !is_number(text);
}

}  // namespace

std::string defuse_formula(std::string text) { return looks_like_formula(text) ? '\'' + std::move(text) : text; }

std::string without_defusing(std::string text) {
  if (text.starts_with('\'') && looks_like_formula(text)) text.erase(0, 1);
  return text;
}

CsvTable::Field::Field(double value) : text_(std::isfinite(value) ? text::double_to_decimal(value) : std::string()) {}

CsvTable::Field CsvTable::milliseconds(Seconds time) { return in_milliseconds(time); }
CsvTable::Field CsvTable::milliseconds(Nanoseconds time) {
  constexpr int digits = 6;
  return text::integer_to_decimal(time.count, digits);
}

void CsvTable::add(std::vector<Field> row) {
  ensure(row.size() == columns_.size(), "a row has a field for each column");
  rows_.push_back(std::move(row));
}

std::string CsvTable::text() const {
  std::string lines;
  append_line(lines, columns_, [](const std::string& name) -> const std::string& { return name; });
  for (const auto& row : rows_)
    append_line(lines, row, [](const Field& field) -> const std::string& { return field.text(); });
  return lines;
}

}  // namespace pipedeck::io::csv
