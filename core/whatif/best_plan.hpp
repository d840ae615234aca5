// SPDX-License-Identifier: Apache-2.0
// The best plan of several planners for one question, quickly, and as it gets better.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/domain/progress.hpp"
#include "core/domain/simulation.hpp"
#include "core/domain/what_if.hpp"
#include "core/planner/planner.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck {

struct AskedPlanner {
  const PlannerInfo* planner = nullptr;
  PlannerOptions options;
};

/// Those that `compare` asks when none is named.
std::vector<AskedPlanner> usual_planners();

struct SearchHow {
  int threads = 1;  ///< changes speed, never the answer
  std::stop_token stop{};
  std::stop_token hurry{};  ///< requested: answer with what is there
  Progress progress{};
};

struct JudgedPlan {
  FoundPlan found;
  std::shared_ptr<const Simulation> simulation;
};

struct BestPlan {
  std::optional<JudgedPlan> best;  ///< absent: no plan fits
  std::vector<FoundPlan> found;    ///< every plan that fits, best first
  std::string why_none;            ///< what planners said, where there is no plan
};

/// A plan that fits, with a flush, of more samples a second comes before others; then one of less memory.
bool is_better(const FoundPlan& a, const FoundPlan& b);

/// Of the question's batch, its micro-batch where that is fixed (planners have micro-batches of their own without a
/// flush) and its pins.
bool answers(const Problem& problem, const Plan& plan);

/// The plan simulated. An error where it is no plan for this question (devices that are not there).
Result<JudgedPlan> judge_plan(const Problem& problem, const Simulator& simulator, Plan plan, std::stop_token stop);

/// The plan itself, and for 1F1B a copy whose warm-ups stand in it as they are in this question: more memory would give
/// it longer ones, which can make it slower.
std::vector<Plan> kept_as_is(const Problem& problem, const Plan& plan);

/// Every planner is asked for `top` plans, and `kept` are judged anew where they are still plans for the question, so
/// that no answer is worse than they are. Those that take long (joint, amp-sa) are asked last. `better`, if there is
/// one, is called with each plan that is better than all before it, from any thread, one call at a time. An error is
/// one of the question; what goes wrong in one planner is not.
Result<BestPlan> best_plan(const Problem& problem, std::span<const AskedPlanner> planners, std::span<const Plan> kept,
                           int top, const SearchHow& how, const std::function<void(const JudgedPlan&)>& better = {});

}  // namespace pipedeck
