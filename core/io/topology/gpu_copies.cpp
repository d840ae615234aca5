// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/gpu_copies.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/io/json/value.hpp"
#include "core/io/text/decimal.hpp"
#include "core/io/text/line_tally.hpp"
#include "core/io/text/lines.hpp"
#include "core/io/text/utf8.hpp"
#include "core/io/topology/copy_tables.hpp"

namespace pipedeck::io::topology {
namespace {

constexpr std::size_t max_copies_text = std::size_t{16} << 20;
constexpr std::size_t copies_head = std::size_t{1} << 18;

using Words = std::vector<std::string_view>;

bool has(std::string_view line, std::string_view part) { return line.find(part) != line.npos; }

struct Named {
  std::size_t number;
  std::string_view name, host;  ///< empty host: not named
};

/// "Device: 0, NVIDIA A100-SXM4-40GB, pciBusID: 7, ..." and "Device 0: NVIDIA H200 (00000000:19:00)". Each of several
/// processes lists its own: "Process 4 (host-1): device 0: ...".
std::optional<Named> name_in(std::string_view line) {
  constexpr std::string_view of_process = "): device ";
  const Words words = text::words_between(line);
  if (words.size() < 3) return std::nullopt;
  std::size_t begin = line.npos;
  std::string_view end = " (", host;
  if (words[0] == "Process" && has(line, of_process)) {
    if (words[2].starts_with('(')) host = words[2].substr(1, words[2].find(')') - 1);
    begin = line.find(": ", line.find(of_process) + of_process.size());
  } else if (words[0] == "Device" && words[1].ends_with(':')) {
    begin = line.find(": ");
  } else if (words[0] == "Device:" && words[1].ends_with(',')) {
    begin = line.find(", ");
    end = ",";
  }
  const auto number = text::decimal_to_integer(words[1].substr(0, words[1].find_last_not_of(":,") + 1));
  if (begin == line.npos || !number || *number < 0 || *number >= static_cast<std::int64_t>(P2pMatrices::max_gpus))
    return std::nullopt;
  std::string_view name = line.substr(begin + 2);
  name = name.substr(0, std::min(name.find(end), name.find_last_not_of(" \t\r") + 1));
  return Named{static_cast<std::size_t>(*number), name, host};
}

class CopyReader {
 public:
  bool take(std::string_view line, int number) {
    if (!text::is_utf8(line)) return refuse("found bytes that are not UTF-8, expected text", number);
    const Words words = text::words_between(line);
    if (source_.empty() && has(line, "P2P=")) source_ = "p2pBandwidthLatencyTest";
    if (source_.empty() && has(line, "GPU(row)")) source_ = "nvbandwidth";
    if (const auto title = copy_title_in(line)) {
      tally_.understand();
      return begin(*title, number);
    }
    const auto named = name_in(line);
    if (named) tables_.name(named->number, named->name, named->host);
    named || title_ ? tally_.understand() : tally_.leave_out(line, number);
    if (!title_ || words.empty()) return true;
    return columns_ == 0 ? read_heading(words, number) : read_row(words, number);
  }

  Result<FoundMachines> finish(const std::string& name) {
    if (!error_ && title_) end_table();
    if (error_) return tl::unexpected(std::move(*error_));
    return tables_.machines(name, source_, tally_.share());
  }

 private:
  bool refuse(std::string message, int line) {
    error_ = Error{ErrorCode::bad_input, std::move(message), {}, fmt::format("line {}", line)};
    return false;
  }

  bool begin(const P2pMatrixTitle& title, int line) {
    if (title_ && !end_table()) return false;
    title_ = title;
    title_line_ = line;
    columns_ = rows_ = 0;
    return true;
  }

  /// The GPUs' numbers, behind "D\D" or "GPU" where something stands before them. That of the processors ("CPU") is
  /// of what calls took to return.
  bool read_heading(const Words& words, int line) {
    const std::size_t first = words[0] == "D\\D" || words[0] == "GPU" ? 1 : 0;
    for (std::size_t i = first; i < words.size(); ++i)
      if (text::decimal_to_integer(words[i]) != static_cast<std::int64_t>(i - first))
        return refuse(
            fmt::format("found {} above a column, expected GPU {}", json::describe(json::Value(words[i])), i - first),
            line);
    columns_ = words.size() - first;
    if (auto wrong = tables_.set_size(columns_)) return refuse(std::move(*wrong), line);
    return true;
  }

  bool read_row(const Words& words, int line) {
    if (text::decimal_to_integer(words[0]) != static_cast<std::int64_t>(rows_))
      return refuse(
          fmt::format("found a row of {}, expected that of GPU {}", json::describe(json::Value(words[0])), rows_),
          line);
    if (words.size() != columns_ + 1)
      return refuse(fmt::format("found {} values of GPU {}, expected one for each of the {} GPUs", words.size() - 1,
                                rows_, columns_),
                    line);
    for (std::size_t j = 0; j < columns_; ++j)
      if (auto wrong = tables_.put(*title_, rows_, j, words[j + 1])) return refuse(std::move(*wrong), line);
    if (++rows_ == columns_) title_.reset();
    return true;
  }

  bool end_table() {
    if (columns_ > 0 && rows_ == columns_) return true;
    return refuse(columns_ == 0 ? std::string("found a title without a table, expected one below it")
                                : fmt::format("found {} rows in the table, expected one for each of the {} GPUs", rows_,
                                              columns_),
                  title_line_);
  }

  P2pMatrices tables_;
  text::LineTally tally_;
  std::string source_;
  std::optional<P2pMatrixTitle> title_;  ///< of the table that is being read
  int title_line_ = 0;
  std::size_t columns_ = 0, rows_ = 0;
  std::optional<Error> error_;
};

}  // namespace

bool looks_like_gpu_copies(const std::string& text) {
  bool found = false;
  text::for_lines(std::string_view(text).substr(0, copies_head), [&](std::string_view line, int) {
    found = line.starts_with("[P2P") || line.starts_with("nvbandwidth") || has(line, "directional P2P=") ||
            (has(line, "GPU(row)") && has(line, "GPU(column)"));
    return !found;
  });
  return found;
}

Result<FoundMachines> machines_from_gpu_copies(const std::string& text, const std::string& name) {
  if (text.size() > max_copies_text)
    return fail(ErrorCode::bad_input, fmt::format("found {} bytes, expected at most {}", text.size(), max_copies_text));
  CopyReader reader;
  text::for_lines(text, [&](std::string_view line, int number) { return reader.take(line, number); });
  return reader.finish(name);
}

}  // namespace pipedeck::io::topology
