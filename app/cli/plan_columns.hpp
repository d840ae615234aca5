// SPDX-License-Identifier: Apache-2.0
// What every table of plans tells of each: the same columns under the same heads.
#pragma once

#include <string>
#include <vector>

#include "app/cli/table.hpp"
#include "core/domain/plan.hpp"

namespace pipedeck::cli {

/// After `first`: plan, shape, schedule, micro-batches, iteration, samples a second.
std::vector<Table::Column> plan_columns(Table::Column first);
/// A row of them.
std::vector<std::string> plan_cells(std::string first, std::string name, const Plan& plan, Seconds iteration,
                                    double samples_per_second);

/// The one after the other.
template <class Cell>
std::vector<Cell> joined(std::vector<Cell> cells, std::vector<Cell> more) {
  for (Cell& cell : more) cells.push_back(std::move(cell));
  return cells;
}

}  // namespace pipedeck::cli
