// SPDX-License-Identifier: Apache-2.0
// The columns that all tables of plans have.
#pragma once

#include <string>
#include <vector>

#include "app/cli/text/table.hpp"
#include "core/model/plan.hpp"
#include "core/study/plan_simulator.hpp"

namespace pipedeck::cli::work {

/// After `first`: plan, shape, schedule, micro-batches, iteration, samples/s.
std::vector<text::Table::Column> plan_columns(text::Table::Column first);
/// A row of them.
std::vector<std::string> plan_cells(std::string first, std::string name, const Plan& plan, Seconds iteration,
                                    double samples_per_second);

/// Returns "1f1b A" or "gpipe": the schedule, with the warm-up where it has one.
std::string schedule_text(const Plan& plan);
/// Returns the iteration in milliseconds with warm-up A and with B, "922.0 / 837.1", or "-" if there is only one.
std::string warmups_text(const Plan& plan, Seconds own, const std::optional<study::OtherWarmup>& other);

/// The one after the other.
template <class Cell>
std::vector<Cell> joined(std::vector<Cell> cells, std::vector<Cell> more) {
  for (Cell& cell : more) cells.push_back(std::move(cell));
  return cells;
}

}  // namespace pipedeck::cli::work
