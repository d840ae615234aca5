// SPDX-License-Identifier: Apache-2.0
// Tables as comma-separated values (RFC 4180): a header with units in its names, fields in quotes where they need them,
// lines that end in CR LF, numbers with a point whatever the locale and with the fewest digits that read back the same.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.hpp"

namespace pipedeck::io::csv {

/// Returns the text so that spreadsheets do not take it for a formula: with an apostrophe before =, +, -, @, a tab or a
/// carriage return. Numbers stay as they are.
std::string defuse_formula(std::string text);
/// Returns the text that defuse_formula was given.
std::string without_defusing(std::string text);

class CsvTable {
 public:
  explicit CsvTable(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  /// A field is a text, a number, or nothing where a figure is unknown.
  class Field {
   public:
    Field() = default;
    Field(std::string text) : text_(defuse_formula(std::move(text))) {}
    Field(std::string_view text) : Field(std::string(text)) {}
    Field(const char* text) : Field(std::string(text)) {}
    Field(bool value) : text_(value ? "yes" : "no") {}
    Field(std::integral auto value) : text_(std::to_string(value)) {}
    Field(double value);
    Field(Bytes bytes) : Field(bytes.count) {}
    const std::string& text() const { return text_; }

   private:
    std::string text_;
  };
  static Field milliseconds(Seconds time);
  static Field milliseconds(Nanoseconds time);

  void add(std::vector<Field> row);
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::vector<Field>>& rows() const { return rows_; }
  std::string text() const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<Field>> rows_;
};

}  // namespace pipedeck::io::csv
