// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison: every planner that takes part answers the same problem, every answer is judged by the same simulator.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/session/judge.hpp"
#include "app/session/planning.hpp"
#include "core/domain/progress.hpp"

namespace pipedeck::app {

/// Of one planner: a judged plan, or why there is none.
struct ComparedPlan {
  const PlannerInfo* planner = nullptr;
  std::optional<Plan> plan;              ///< with `predicted`
  std::optional<Infeasible> infeasible;  ///< no plan fits
  std::optional<Error> error;            ///< the planner failed
};

struct Comparison {
  std::vector<ComparedPlan> plans;  ///< in registry order, whatever finished first
  ProblemFacts facts;
  Seconds duration;  ///< wall clock
};

/// Planners run beside one another on `threads` threads. An error is one of the problem itself (a cluster in pieces);
/// what goes wrong with one planner is said in its entry.
Result<Comparison> compare(const Problem& problem, const std::vector<ChosenPlanner>& planners, Judge& judge,
                           int threads, const Progress& progress, std::stop_token stop);

}  // namespace pipedeck::app
