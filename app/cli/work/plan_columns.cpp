// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/plan_columns.hpp"

#include <fmt/format.h>

#include "app/cli/work/judge.hpp"

namespace pipedeck::cli::work {

std::vector<text::Table::Column> plan_columns(text::Table::Column first) {
  return {std::move(first),
          {"plan", text::Align::left},
          {"shape", text::Align::left},
          {"schedule", text::Align::left},
          {"micro-batches"},
          {"iteration ms"},
          {"samples/s"}};
}

std::vector<std::string> plan_cells(std::string first, std::string name, const Plan& plan, Seconds iteration,
                                    double samples_per_second) {
  return {std::move(first),
          std::move(name),
          text::short_shape_text(plan),
          schedule_text(plan),
          fmt::format("{} x {}", plan.micro_batches, plan.micro_batch),
          text::milliseconds_text(iteration),
          fmt::format("{:.2f}", samples_per_second)};
}

}  // namespace pipedeck::cli::work
