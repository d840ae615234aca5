// SPDX-License-Identifier: Apache-2.0
#include "core/cost/evaluate.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/cost/evaluate_parts.hpp"

namespace pipedeck::cost {

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

template <class T>
Result<void> compare(const Plan& plan, const Result<T>& mine) {
  if (!mine) return tl::unexpected(mine.error());
  return compare(plan, *mine);
}

Result<void> compared(const Evaluation& e) {
  const Plan& plan = e.plan;
  TRY_VOID(check_constraints(e));
  if (plan.planner == "dapple") return compare(plan, dapple_objective(e));
  if (plan.planner == "capture") return compare(plan, capture_objective(e));
  if (plan.planner == "pipedream" && !plan.synchronous()) return compare(plan, pipedream_objective(e));
  if (plan.planner == "amp" || plan.planner == "amp-sa") return compare(plan, amp_objective(e));
  if (plan.planner == "whale") return compare(plan, whale_objective(e));
  return {};  // the other planners' objective is the simulator's result
}

}  // namespace

Result<void> evaluate(const Problem& problem, const Plan& plan, const EvaluateOptions& options) {
  TRY(auto network, Network::of(*problem.cluster, problem.workload.conventions.calibration));
  const Evaluation e{problem, plan, network, options, order_of(plan, *problem.profile)};
  auto agrees = compared(e);
  if (options.stop.stop_requested()) return fail(ErrorCode::cancelled, "planning was cancelled");
  return agrees;
}

Result<std::string> objective_text(const Problem& problem, const Plan& plan, const EvaluateOptions& options) {
  TRY(auto network, Network::of(*problem.cluster, problem.workload.conventions.calibration));
  const Evaluation e{problem, plan, network, options, order_of(plan, *problem.profile)};
  // One line for each planner with its own formula.
  if (plan.planner == "dapple") return dapple_objective_text(e);
  if (plan.planner == "pipedream" && !plan.synchronous()) return pipedream_objective_text(e);
  if (plan.planner == "capture") return capture_objective_text(e);
  if (plan.planner == "amp" || plan.planner == "amp-sa") return amp_objective_text(e);
  if (plan.planner == "whale") return whale_objective_text(e);
  return std::string();
}

}  // namespace pipedeck::cost
