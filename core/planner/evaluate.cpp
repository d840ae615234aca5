// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "core/planner/planner.hpp"

namespace pipedeck::planner {

namespace {

bool differ(double planner, double evaluation) {
  return !(std::abs(planner - evaluation) <= 1e-9 * std::max(std::abs(planner), std::abs(evaluation)));
}

Result<void> compare(const Plan& plan, Seconds mine) {
  if (plan.objective && plan.objective->time && !differ(plan.objective->time->count, mine.count)) return {};
  const double theirs = plan.objective && plan.objective->time ? in_milliseconds(*plan.objective->time) : NAN;
  return fail(ErrorCode::internal, fmt::format("{}: objective: planner {:.9g} ms, evaluation {:.9g} ms", plan.planner,
                                               theirs, in_milliseconds(mine)));
}

Result<void> compare(const Plan& plan, Bytes mine) {
  if (plan.objective && plan.objective->bytes && *plan.objective->bytes == mine) return {};
  const std::int64_t theirs = plan.objective && plan.objective->bytes ? plan.objective->bytes->count : -1;
  return fail(ErrorCode::internal,
              fmt::format("{}: objective: planner {} bytes, evaluation {} bytes", plan.planner, theirs, mine.count));
}

Result<void> compared(const PlannerInfo& planner, const evaluation::Evaluation& e) {
  TRY_VOID(has_mesh(e.plan) ? evaluation::check_mesh_constraints(e) : evaluation::check_constraints(e));
  TRY(const auto objective, planner.objective.compute(e));
  if (!objective) return {};  // the simulated time
  return objective->time ? compare(e.plan, *objective->time) : compare(e.plan, *objective->bytes);
}

}  // namespace

Result<void> evaluate(const PlannerInfo& planner, const Problem& problem, const Plan& plan,
                      const evaluation::EvaluateOptions& options) {
  TRY(const auto network, cost::Network::of(*problem.cluster, problem.workload.conventions));
  auto agrees = compared(planner, {problem, plan, network, options, order_of(plan, *problem.profile)});
  if (options.stop.stop_requested()) return fail(ErrorCode::cancelled, "planning was cancelled");
  return agrees;
}

Result<std::string> objective_text(const PlannerInfo& planner, const Problem& problem, const Plan& plan,
                                   const evaluation::EvaluateOptions& options) {
  if (!planner.objective.text) return std::string();
  TRY(const auto network, cost::Network::of(*problem.cluster, problem.workload.conventions));
  return planner.objective.text({problem, plan, network, options, order_of(plan, *problem.profile)});
}

}  // namespace pipedeck::planner
