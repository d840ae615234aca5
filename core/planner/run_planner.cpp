// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "core/cost/lower_bound.hpp"
#include "core/cost/stages_bound.hpp"
#include "core/plan/launch_order.hpp"
#include "core/plan/validate.hpp"
#include "core/plan/warmups.hpp"
#include "core/planner/deadline.hpp"
#include "core/planner/explain.hpp"
#include "core/planner/planner.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/relax.hpp"

namespace pipedeck::planner {

namespace {

/// Checks numbers that a caller sets, which the validation of files doesn't cover.
Result<void> check_workload(const Problem& problem) {
  const Workload& workload = problem.workload;
  if (workload.global_batch < 1)
    return fail(ErrorCode::bad_usage, fmt::format("--global-batch is {}, 1 or more expected", workload.global_batch));
  if (workload.micro_batch && *workload.micro_batch < 1)
    return fail(ErrorCode::bad_usage, fmt::format("--micro-batch is {}, 1 or more expected", *workload.micro_batch));
  return plan::validate_amounts(*problem.profile, *problem.cluster, workload.global_batch);
}

/// Returns the first kind of pin that the planner doesn't support; empty if there is none. A planner without tensor
/// parallelism always keeps a degree of 1.
std::string pin_refused(const PlanConstraints& pins, const PinSupport& honoured) {
  if (pins.stages && !honoured.stages) return "--pp";
  if (pins.max_stages && !honoured.max_stages) return "--max-stages";
  if (pins.replicas && !honoured.replicas) return "--dp";
  if (pins.tensor_parallel && *pins.tensor_parallel > 1 && !honoured.tensor_parallel) return "--tmp";
  if (!pins.layers.empty() && !honoured.layers) return "--pin";
  return {};
}

Result<void> check_pins(const PlannerInfo& planner, const Problem& problem) {
  TRY_VOID(check(problem.pins, *problem.profile, *problem.cluster));
  if (const std::string refused = pin_refused(problem.pins, planner.pins); !refused.empty())
    return fail(ErrorCode::bad_usage, fmt::format("planner {} cannot honour {}", planner.name, refused));
  return {};
}

/// Returns an error of a plan that the planner gave. A program's is a broken input.
Error blamed(const PlannerInfo& planner, Error error) {
  if (planner.external && error.code == ErrorCode::internal) error.code = ErrorCode::bad_input;
  return error;
}

/// Returns true if another simulation would delay an answer that the deadline cut short.
bool late(const Plan& plan, const PlannerContext& context) { return plan.truncated && deadline_expired(context); }

/// Adds the bounds of a plan to its certificate.
Result<void> certify(Plan& plan, const Problem& problem, const PlannerContext& context) {
  if (has_mesh(plan)) return {};  // bounds of profiles' times do not hold for computed ones
  TRY(const auto bound, cost::lower_bound_of(problem, plan));
  if (!plan.certificate) plan.certificate.emplace();
  plan.certificate->lower_bound = bound;
  TRY(const auto own, cost::partition_lower_bound(problem, plan));
  plan.certificate->partition_lower_bound = own;
  if (!context.score || bound.count <= 0 || late(plan, context)) return {};
  TRY(const auto iteration, judge(context, plan));
  Seconds& lower = plan.certificate->lower_bound;
  lower = cost::simulation_lower_bound(plan, lower, iteration);
  plan.certificate->gap = lower.count > 0 ? iteration.count / lower.count - 1 : 0;
  return {};
}

/// Moves the plan's stages to devices on which launchers can start its processes, if it takes as long there.
Result<void> place_for_launchers(const PlannerInfo& planner, const Problem& problem, Plan& plan,
                                 const evaluation::EvaluateOptions& how, const PlannerContext& context) {
  if (has_mesh(plan) || !context.score || !problem.pins.layers.empty() || late(plan, context)) return {};
  std::optional<Plan> moved = plan::in_launch_order(plan, *problem.cluster);
  if (!moved || !plan::validate(*moved, *problem.profile, *problem.cluster)) return {};
  TRY(const auto here, judge(context, plan));
  const auto there = judge(context, *moved);
  if (!there) return there.error().code == ErrorCode::cancelled ? tl::unexpected(there.error()) : Result<void>();
  constexpr double equal = 1e-9;  // the simulator counts nanoseconds
  if (std::abs(there->count - here.count) > equal * here.count) return {};
  if (evaluate(planner, problem, *moved, how)) plan = *std::move(moved);
  return {};
}

}  // namespace

Result<Ranking> run_planner(const PlannerInfo& planner, const Problem& problem, const PlannerOptions& options,
                            const PlannerContext& context) {
  TRY_VOID(check_options(planner, options));
  TRY_VOID(check_workload(problem));
  TRY_VOID(check_pins(planner, problem));
  if (problem.workload.adapters.rank > 0 && !planner.trains_adapters)
    return Ranking{{}, Infeasible{"its plans train all weights, and adapters were asked for", {}}};
  const Deadline deadline(context);
  auto ranking = planner.plan(problem, options, deadline.context());
  TRY_VOID(check_stop(context));
  if (!ranking && deadline.ended(ranking.error())) return Ranking{{}, out_of_time(context)};
  if (!ranking) return ranking;
  ensure(ranking->plans.empty() == ranking->infeasible.has_value(), "a ranking is empty exactly if it has a reason");

  const bool is_complete = planner.of_transformers || planner.external;
  if (ranking->infeasible && !ranking->infeasible->too_large && context.relax && !is_complete)
    TRY_VOID(add_relaxations(*ranking->infeasible, planner, problem, options, deadline.context()));
  TRY_VOID(check_stop(context));

  evaluation::EvaluateOptions how = planner.objective.options(options);
  how.stop = context.stop;
  how.fits = context.fits;
  for (Plan& plan : ranking->plans) {
    if (auto valid = plan::validate(plan, *problem.profile, *problem.cluster); !valid)
      return fail(ErrorCode::internal,
                  fmt::format("{} gave a plan that is not valid: {}", planner.name, valid.error().text()));
    if (auto agrees = evaluate(planner, problem, plan, how); !agrees)
      return tl::unexpected(blamed(planner, agrees.error()));
    TRY_VOID(place_for_launchers(planner, problem, plan, how, context));
    if (const auto broken = first_violation(plan, *problem.profile, problem.pins))
      return fail(ErrorCode::internal, fmt::format("{} gave a plan that breaks a pin: {}", planner.name, *broken));
    TRY_VOID(certify(plan, problem, context));
    plan.name += plan::short_warmup_text(plan);
    if (!context.explain || has_mesh(plan) || deadline_expired(context)) continue;
    TRY(auto why, explain(planner, problem, plan, how, context));
    plan.rationale.insert(plan.rationale.end(), why.begin(), why.end());
  }
  return ranking;
}

Result<Ranking> rank_one_device(const Problem& asked, const PlannerContext& context) {
  const PlannerInfo single = baselines::single_planner();
  Problem problem = asked;
  problem.pins = {};  // they apply to the plans compared with it
  auto ranking = run_planner(single, problem, {{"ignore-memory", "true"}}, context);
  if (!ranking || !ranking->infeasible) return ranking;
  return run_planner(single, problem, {{"ignore-memory", "true"}, {"min-slice", "1"}}, context);
}

}  // namespace pipedeck::planner
