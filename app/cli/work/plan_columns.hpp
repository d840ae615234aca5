// SPDX-License-Identifier: Apache-2.0
// The columns of every table of plans, under the same heads.
#pragma once

#include <string>
#include <vector>

#include "app/cli/text/table.hpp"
#include "core/model/plan.hpp"

namespace pipedeck::cli::work {

/// After `first`: plan, shape, schedule, micro-batches, iteration, samples/s.
std::vector<text::Table::Column> plan_columns(text::Table::Column first);
/// A row of them.
std::vector<std::string> plan_cells(std::string first, std::string name, const Plan& plan, Seconds iteration,
                                    double samples_per_second);

/// The one after the other.
template <class Cell>
std::vector<Cell> joined(std::vector<Cell> cells, std::vector<Cell> more) {
  for (Cell& cell : more) cells.push_back(std::move(cell));
  return cells;
}

}  // namespace pipedeck::cli::work
