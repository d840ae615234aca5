// SPDX-License-Identifier: Apache-2.0
// Tables of other programs as comma-separated values (RFC 4180): fields in quotes if they hold separators or line ends,
// lines that end in LF or CR LF. Semicolons, tabs or bars may separate fields as well: the first line decides, or a
// line such as "sep=;". Lines that begin with # are comments.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace pipedeck::io::csv {

struct CsvRow {
  int line = 0;  ///< of the file, where the row begins
  std::vector<std::string> fields;
};

struct Limits {
  std::size_t rows = 100'001, columns = 70'000, fields = std::size_t{1} << 24;
};

/// Returns the separator of a table's fields: that of a spreadsheet's line "sep=;"; else a tab, a semicolon or a bar if
/// the first line that is no comment has one; else a comma.
char csv_separator(std::string_view text);

/// Rows that are not empty, blanks around fields taken away. An open quote, bytes that are not UTF-8 and more than
/// `limits` are bad_input with the line.
Result<std::vector<CsvRow>> csv_rows(const std::string& text, const Limits& limits = {});

}  // namespace pipedeck::io::csv
