// SPDX-License-Identifier: Apache-2.0
#include "core/io/topology/bandwidth_matrix.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/base/quantity_text.hpp"
#include "core/io/csv/reader.hpp"
#include "core/io/json/value.hpp"

namespace pipedeck::io::topology {
namespace {

constexpr std::size_t max_devices = 1024;  // as clusters keep at most
constexpr std::size_t matrix_head = std::size_t{1} << 16;
constexpr csv::Limits matrix_limits{max_devices + 1, max_devices + 1, (max_devices + 1) * (max_devices + 1)};

tl::unexpected<Error> bad(std::string message, int line, std::size_t column) {
  return fail(ErrorCode::bad_input, std::move(message), fmt::format("line {}, column {}", line, column + 1));
}

class BandwidthReader {
 public:
  explicit BandwidthReader(const std::vector<csv::CsvRow>& rows) : rows_(rows) {}

  Result<FoundMatrix> read() {
    TRY_VOID(read_heading());
    const std::size_t n = matrix_.devices.size();
    if (rows_.size() != n + 1)
      return bad(fmt::format("found {} rows under {} devices, expected one each", rows_.size() - 1, n),
                 rows_.back().line, 0);
    for (std::size_t i = 0; i < n; ++i) TRY_VOID(read_row(rows_[i + 1], i));
    return std::move(matrix_);
  }

 private:
  Result<void> read_heading() {
    const csv::CsvRow& heading = rows_.front();
    matrix_.unit = unit_in(heading.fields[0]);
    std::set<std::string_view> seen;
    for (std::size_t i = 1; i < heading.fields.size(); ++i) {
      const std::string& name = heading.fields[i];
      if (name.empty() || !seen.insert(name).second)
        return bad(fmt::format("found the device {}, expected a name of its own", json::describe(json::Value(name))),
                   heading.line, i);
      matrix_.devices.push_back(name);
    }
    if (matrix_.devices.size() < 2)
      return bad("found fewer than two devices, expected their names in the heading", heading.line, 0);
    return {};
  }

  /// "GB/s" or "from/to (GB/s)"; any other words in the corner are a caption.
  static std::string unit_in(const std::string& corner) {
    const std::size_t open = corner.find('('), close = corner.find(')', open);
    const std::string unit = close == corner.npos ? corner : corner.substr(open + 1, close - open - 1);
    return is_unit(QuantityKind::rate, unit) ? unit : std::string();
  }

  Result<void> read_row(const csv::CsvRow& row, std::size_t i) {
    const std::size_t n = matrix_.devices.size();
    if (row.fields[0] != matrix_.devices[i])
      return bad(fmt::format("found a row of {}, expected that of {}", json::describe(json::Value(row.fields[0])),
                             matrix_.devices[i]),
                 row.line, 0);
    if (row.fields.size() != n + 1)
      return bad(fmt::format("found {} values, expected one for each of the {} devices", row.fields.size() - 1, n),
                 row.line, row.fields.size() - 1);
    std::vector<double>& values = matrix_.values.emplace_back(n, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const auto value = parse_quantity(QuantityKind::number, row.fields[j + 1]);
      if (!value || !(*value > 0) || *value > limits::bytes_per_second)
        return bad(fmt::format("found {} between {} and {}, expected a bandwidth above 0",
                               json::describe(json::Value(row.fields[j + 1])), matrix_.devices[i], matrix_.devices[j]),
                   row.line, j + 1);
      values[j] = *value;
    }
    return {};
  }

  const std::vector<csv::CsvRow>& rows_;
  FoundMatrix matrix_;
};

}  // namespace

bool looks_like_bandwidth_matrix(const std::string& text) {
  std::string start = text.substr(0, matrix_head);
  // Two whole rows tell; of a table whose heading alone is longer nothing can be made either.
  if (const std::size_t end = start.rfind('\n'); start.size() < text.size() && end != start.npos) start.resize(end);
  const auto rows = csv::csv_rows(start);
  if (!rows || rows->size() < 2) return false;
  const csv::CsvRow &heading = (*rows)[0], &first = (*rows)[1];
  return heading.fields.size() >= 3 && !heading.fields[1].empty() && first.fields[0] == heading.fields[1];
}

Result<FoundMachines> matrix_from_csv(const std::string& text, const std::string& name) {
  TRY(const auto rows, csv::csv_rows(text, matrix_limits));
  if (rows.empty()) return fail(ErrorCode::bad_input, "found no table of bandwidths, expected a heading with devices");
  TRY(auto matrix, BandwidthReader(rows).read());
  matrix.name = name;
  FoundMachines found;
  ImportShare& share = found.shares.emplace_back();
  share.unit = "row";
  share.understood = static_cast<int>(rows.size());
  found.matrix = std::move(matrix);
  return found;
}

}  // namespace pipedeck::io::topology
