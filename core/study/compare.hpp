// SPDX-License-Identifier: Apache-2.0
// The comparison: all chosen planners solve the same problem, and the same simulator evaluates all plans.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/progress.hpp"
#include "core/study/plan_simulator.hpp"
#include "core/study/planner_request.hpp"

namespace pipedeck::study {

/// A result of one planner: a simulated plan, or the reason for none.
struct ComparedPlan {
  const planner::PlannerInfo* planner = nullptr;
  std::optional<SimulatedPlan> simulated_plan{};
  std::optional<planner::Infeasible> infeasible{};  ///< no plan fits
  std::optional<Error> error{};                     ///< the planner failed
};

struct Comparison {
  std::vector<ComparedPlan> plans;  ///< in the order of the planners
  ProblemBounds facts;
  Seconds duration;  ///< wall clock
};

struct CompareOptions {
  int threads = 1;       ///< changes the speed, never an answer
  bool explain = false;  ///< writes reasons into `Plan::rationale`
  /// Changes a planner's best plan before it is simulated, for instance its schedule. An error counts as no plan.
  std::function<Result<Plan>(Plan)> arrange{};
  /// Receives each answer as it comes, with its place in the list of planners: from any thread, one call at a time.
  std::function<void(std::size_t, const ComparedPlan&)> answered{};
};

/// Runs the planners side by side. An error concerns the problem itself (a disconnected cluster). A failure of one
/// planner is in its entry.
Result<Comparison> compare(const Problem& problem, const std::vector<PlannerRequest>& planners,
                           PlanSimulator& plan_simulator, const CompareOptions& options, const Progress& progress,
                           std::stop_token stop);

/// Returns the fastest plan that fits into memory, or else the fastest plan. Empty without plans.
Result<std::optional<SimulatedPlan>> fastest(PlanSimulator& plan_simulator, const Problem& problem,
                                             std::vector<Plan> plans, std::stop_token stop);

/// Returns "no plan fits: REASON; smallest relaxation: ..." as an error.
Error no_plan_fits(const std::string& planner, const planner::Infeasible& infeasible);

}  // namespace pipedeck::study
