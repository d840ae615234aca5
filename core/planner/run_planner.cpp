// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/cost/evaluate.hpp"
#include "core/domain/validate.hpp"
#include "core/planner/planner.hpp"
#include "core/planner/planner_entries.hpp"

namespace pipedeck {

namespace {

/// Does the planner have this option, and is it `value`?
bool asked_for(const PlannerInfo& planner, const PlannerOptions& options, const std::string& name,
               const std::string& value = "true") {
  const bool has = std::any_of(planner.options.begin(), planner.options.end(),
                               [&](const OptionInfo& option) { return option.name == name; });
  return has && choice(planner, options, name) == value;
}

}  // namespace

Result<Ranking> run_planner(const PlannerInfo& planner, const Problem& problem, const PlannerOptions& options,
                            const PlannerContext& context) {
  if (auto valid = check_options(planner, options); !valid) return tl::unexpected(valid.error());
  auto ranking = planner.plan(problem, options, context);
  if (!ranking) return ranking;
  ensure(ranking->plans.empty() == ranking->infeasible.has_value(), "a ranking is empty exactly when it says why");

  const EvaluateOptions how{.ignore_memory = asked_for(planner, options, "ignore-memory"),
                            .printed_objective = asked_for(planner, options, "printed-objective"),
                            .flat_levels = asked_for(planner, options, "levels", "flat"),
                            .paper_in_flight = asked_for(planner, options, "paper-in-flight")};
  for (const Plan& plan : ranking->plans) {
    if (auto valid = validate(plan, *problem.profile, *problem.cluster); !valid)
      return fail(ErrorCode::internal, planner.name + " gave a plan that is not valid: " + valid.error().text());
    if (auto agrees = evaluate(problem, plan, how); !agrees) return tl::unexpected(agrees.error());
  }
  return ranking;
}

Result<Ranking> rank_one_device(const Problem& problem, const PlannerContext& context) {
  const PlannerInfo single = single_planner();
  auto ranking = run_planner(single, problem, {{"ignore-memory", "true"}}, context);
  if (!ranking || !ranking->infeasible) return ranking;
  return run_planner(single, problem, {{"ignore-memory", "true"}, {"min-slice", "1"}}, context);
}

}  // namespace pipedeck
