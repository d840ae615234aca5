// SPDX-License-Identifier: Apache-2.0
// Text for people: aligned tables and figures with their units.
#pragma once

#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/model/plan.hpp"

namespace pipedeck::cli::text {

enum class Align { left, right };

/// Columns as wide as their widest cell (counted in characters, not bytes), two spaces apart. No heading where all
/// titles are empty. Names in cells are printed with their control characters escaped.
class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::right;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// As many cells as there are columns; a shorter row leaves the rest empty.
  void add(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

std::string milliseconds_text(Seconds time);  // "1240.126"
std::string memory_text(Bytes bytes);         // "11.40 GiB"
/// Returns the bytes in the unit of the largest of a column: "0.57 GiB" below "13.14 GiB". A
/// value that would round to zero keeps its own unit.
std::string memory_text(Bytes bytes, Bytes largest);
std::string percent_text(double fraction);             // "9.1 %"
std::string change_text(double before, double after);  // "+12.5 %", "-" from 0

/// With an ellipsis where it has more characters than that.
std::string shortened(std::string text, std::size_t most);

/// stage_shape_text, or "16 stages" where that would be wider than the rest of a table.
std::string short_shape_text(const Plan& plan);

}  // namespace pipedeck::cli::text
