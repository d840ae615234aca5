// SPDX-License-Identifier: Apache-2.0
#include "core/io/csv/csv.hpp"

#include <cmath>

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

}  // namespace

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
