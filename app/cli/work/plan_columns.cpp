// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/plan_columns.hpp"

#include <fmt/format.h>

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

std::string schedule_text(const Plan& plan) {
  if (plan.schedule != ScheduleKind::one_f_one_b || plan.stages.size() < 2) return std::string(name_of(plan.schedule));
  return fmt::format("{} {}", name_of(plan.schedule), plan.warmup_counts ? "K" : name_of(plan.warmup));
}

std::string warmups_text(const Plan& plan, Seconds own, const std::optional<study::OtherWarmup>& other) {
  if (!other) return "-";
  const bool is_a = plan.warmup == Warmup::A;
  return fmt::format("{:.1f} / {:.1f}", in_milliseconds(is_a ? own : other->iteration),
                     in_milliseconds(is_a ? other->iteration : own));
}

}  // namespace pipedeck::cli::work
