// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan_columns.hpp"

#include <fmt/format.h>

#include "app/cli/judge.hpp"

namespace pipedeck::cli {

std::vector<Table::Column> plan_columns(Table::Column first) {
  return {std::move(first),  {"plan", Align::left}, {"shape", Align::left}, {"schedule", Align::left},
          {"micro-batches"}, {"iteration ms"},      {"samples/s"}};
}

std::vector<std::string> plan_cells(std::string first, std::string name, const Plan& plan, Seconds iteration,
                                    double samples_per_second) {
  return {std::move(first),
          std::move(name),
          short_shape_text(plan),
          schedule_text(plan),
          fmt::format("{} x {}", plan.micro_batches, plan.micro_batch),
          milliseconds_text(iteration),
          fmt::format("{:.2f}", samples_per_second)};
}

}  // namespace pipedeck::cli
