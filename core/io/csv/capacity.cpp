// SPDX-License-Identifier: Apache-2.0
#include "core/io/csv/capacity.hpp"

namespace pipedeck::io::csv {
namespace {

using Field = CsvTable::Field;

Field field_of(const std::optional<double>& value) { return value ? Field(*value) : Field(); }

std::vector<Field> cost_fields(const std::optional<CapacityCost>& cost) {
  if (!cost) return std::vector<Field>(6);
  return {cost->iterations,         cost->samples_per_second, field_of(cost->tokens_per_second),
          cost->time.count / 86400, cost->device_hours,       field_of(cost->money)};
}

std::vector<Field> plan_fields(const CapacityFound& found) {
  if (!found.plan) return std::vector<Field>(9);
  const PlanCandidate& plan = *found.plan;
  return {CsvTable::milliseconds(plan.iteration),
          plan.largest_peak,
          missing_memory(found),
          rented_devices(plan),
          plan.devices,
          field_of(plan.price_per_hour),
          plan.utilization && plan.utilization->peak_per_device > 0 ? Field(plan.utilization->mfu) : Field(),
          plan.plan->planner,
          plan.plan->name};
}

}  // namespace

CsvTable capacity_csv(const CapacityGoal& goal, std::span<const CapacityFound> found) {
  CsvTable table({"device_type",
                  "cluster_nodes",
                  "global_batch",
                  "micro_batch",
                  "verdict",
                  "iterations",
                  "samples_per_s",
                  "tokens_per_s",
                  "days",
                  "device_hours",
                  "money",
                  "iteration_ms",
                  "peak_memory_bytes",
                  "missing_memory_bytes",
                  "devices",
                  "devices_used",
                  "price_per_hour",
                  "mfu",
                  "planner",
                  "plan",
                  "note"});
  for (const CapacityFound& one : found) {
    const CapacityPoint& point = one.point;
    std::vector<Field> row{point.type, point.nodes, point.global_batch,
                           point.micro_batch > 0 ? Field(point.micro_batch) : Field(),
                           pipedeck::name_of(capacity_verdict(goal, one))};
    for (Field& next : cost_fields(capacity_cost(goal, one))) row.push_back(std::move(next));
    for (Field& next : plan_fields(one)) row.push_back(std::move(next));
    row.push_back(one.failure_reason);
    table.add(std::move(row));
  }
  return table;
}

}  // namespace pipedeck::io::csv
