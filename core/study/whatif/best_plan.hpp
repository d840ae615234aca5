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

#include "core/base/progress.hpp"
#include "core/model/simulation.hpp"
#include "core/model/what_if.hpp"
#include "core/planner/planner.hpp"
#include "core/sim/simulate.hpp"
#include "core/study/planner_request.hpp"

namespace pipedeck::study::whatif {

struct SearchOptions {
  int threads = 1;  ///< changes speed, never the answer
  std::stop_token stop{};
  std::stop_token deadline_token{};  ///< requested: answer with what is there
  Progress progress{};
};

struct Candidate {
  PlanCandidate found;
  std::shared_ptr<const Simulation> simulation;
};

struct BestPlan {
  std::optional<Candidate> best;     ///< absent: no plan fits
  std::vector<PlanCandidate> found;  ///< every plan that fits, best first
  std::string failure_reason;        ///< the planners' messages if there is no plan
};

/// Orders plans: a plan that fits, with a flush, of more samples per second comes first. Ties go to less memory.
bool is_better(const PlanCandidate& a, const PlanCandidate& b);

/// Returns whether a plan is one for the question: its batch, its micro-batch if that is fixed (planners choose their
/// own without a flush), and its pins.
bool answers(const Problem& problem, const Plan& plan);

/// The plan simulated. An error where it is no plan for this question (devices that are not there).
Result<Candidate> simulate_plan(const Problem& problem, const sim::Simulator& simulator, Plan plan,
                                std::stop_token stop);

/// Asks every planner for `top` plans. Simulates `kept` again where they are still plans for the question, so that no
/// answer is worse than they are. Slow planners (joint, amp-sa) are asked last. Calls `better`, if there is one, with
/// each plan that is better than all before it, from any thread, one call at a time. An error is one of the question; a
/// failure of one planner is not.
Result<BestPlan> best_plan(const Problem& problem, std::span<const PlannerRequest> planners, std::span<const Plan> kept,
                           int top, const SearchOptions& how, const std::function<void(const Candidate&)>& better = {});

}  // namespace pipedeck::study::whatif
