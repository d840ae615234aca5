// SPDX-License-Identifier: Apache-2.0
// The comparison: all chosen planners solve the same problem, and the same simulator evaluates all plans.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/study/asked_planner.hpp"
#include "core/study/judge.hpp"

namespace pipedeck::study {

/// A result of one planner: a simulated plan, or the reason for none.
struct ComparedPlan {
  const planner::PlannerInfo* planner = nullptr;
  std::optional<Plan> plan;                       ///< with `predicted`
  std::optional<planner::Infeasible> infeasible;  ///< no plan fits
  std::optional<Error> error;                     ///< the planner failed
};

struct Comparison {
  std::vector<ComparedPlan> plans;  ///< in registry order
  ProblemFacts facts;
  Seconds duration;  ///< wall clock
};

/// Runs the planners in parallel on `threads` threads. An error concerns the problem itself (a disconnected cluster). A
/// failure of one planner is in its entry.
Result<Comparison> compare(const Problem& problem, const std::vector<AskedPlanner>& planners, Judge& judge, int threads,
                           const Progress& progress, std::stop_token stop);

}  // namespace pipedeck::study
