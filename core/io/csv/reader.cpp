// SPDX-License-Identifier: Apache-2.0
#include "core/io/csv/reader.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/io/text/utf8.hpp"

namespace pipedeck::io::csv {
namespace {

tl::unexpected<Error> bad(std::string message, int line) {
  return fail(ErrorCode::bad_input, std::move(message), fmt::format("line {}", line));
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

/// "sep=;", alone in a table's first line.
std::optional<char> declared_separator(std::string_view text) {
  const std::string line = trimmed(text.substr(0, text.find('\n')));
  if (line.size() != 5 || !line.starts_with("sep=")) return std::nullopt;
  return line[4];
}

class Splitter {
 public:
  Splitter(std::string_view text, const Limits& limits)
      : text_(text), limits_(limits), separator_(csv_separator(text)) {}

  Result<std::vector<CsvRow>> split() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#' || (rows_.empty() && declared_separator(text_.substr(at_)))) {
        skip_line();
        continue;
      }
      CsvRow row{line_, {}};
      TRY_VOID(read_row(row));
      if (row.fields.size() == 1 && row.fields[0].empty()) continue;
      if (rows_.size() >= limits_.rows)
        return bad(fmt::format("found more than {} rows, expected at most that", limits_.rows), row.line);
      rows_.push_back(std::move(row));
    }
    return std::move(rows_);
  }

 private:
  void skip_line() {
    at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
    ++line_;
  }

  Result<void> read_row(CsvRow& row) {
    while (true) {
      if (row.fields.size() >= limits_.columns || ++fields_ > limits_.fields)
        return bad(fmt::format("found more than {} columns or {} fields, expected at most that", limits_.columns,
                               limits_.fields),
                   row.line);
      const std::size_t first = std::min(text_.find_first_not_of(' ', at_), text_.size());
      const bool quoted = first < text_.size() && text_[first] == '"';
      if (quoted) at_ = first;
      TRY_VOID(quoted ? read_quoted(row) : read_plain(row));
      if (at_ >= text_.size()) return {};
      const char behind = text_[at_++];
      if (behind == '\n') {
        ++line_;
        return {};
      }
    }
  }

  Result<void> read_plain(CsvRow& row) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') ++at_;
    row.fields.push_back(trimmed(text_.substr(begin, at_ - begin)));
    return {};
  }

  Result<void> read_quoted(CsvRow& row) {
    const int opened = line_;
    std::string field;
    for (++at_;; ++at_) {
      if (at_ >= text_.size()) return bad("found a quote that is not closed", opened);
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        field += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        field += text_[at_++];
      } else {
        break;
      }
    }
    const std::size_t end = std::min(text_.find_first_not_of(" \r", at_ + 1), text_.size());
    if (end < text_.size() && text_[end] != separator_ && text_[end] != '\n')
      return bad("found text behind a closed quote, expected a separator", line_);
    at_ = end;
    row.fields.push_back(std::move(field));
    return {};
  }

  std::string_view text_;
  const Limits& limits_;
  char separator_;
  std::size_t at_ = 0, fields_ = 0;
  int line_ = 1;
  std::vector<CsvRow> rows_;
};

int line_of_bad_byte(std::string_view text) {
  int line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (!text::is_utf8(text.substr(at, end - at))) return line;
    at = end + 1;
  }
  return line;
}

}  // namespace

/// A comma may be a decimal one next to the others.
char csv_separator(std::string_view text) {
  while (text.starts_with('#') || text.starts_with('\n') || text.starts_with('\r'))
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  if (const auto said = declared_separator(text)) return *said;
  const std::string_view line = text.substr(0, text.find('\n'));
  for (const char separator : {'\t', ';', '|'})
    if (line.find(separator) != line.npos) return separator;
  return ',';
}

Result<std::vector<CsvRow>> csv_rows(const std::string& text, const Limits& limits) {
  if (!text::is_utf8(text)) return bad("found bytes that are not UTF-8, expected text", line_of_bad_byte(text));
  return Splitter(text, limits).split();
}

}  // namespace pipedeck::io::csv
