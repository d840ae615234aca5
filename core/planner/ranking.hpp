// SPDX-License-Identifier: Apache-2.0
// Functions that planners share: simulating candidates, ordering them, and finding a reason if there is none.
#pragma once

#include <functional>
#include <vector>

#include "core/planner/planner.hpp"

namespace pipedeck::planner {

/// A candidate and its simulated iteration time.
struct ScoredPlan {
  Plan plan;
  Seconds iteration;
};

/// Returns the simulated iteration time; infinity if the deadline ends the simulation while there is another plan; an
/// internal error if the context has no score.
Result<Seconds> judge(const PlannerContext& context, const Plan& plan, std::optional<Overlap> overlap = {});

/// Returns cancelled if a stop was requested.
Result<void> check_stop(const PlannerContext& context);

/// Returns true if the user's time is over and the best plan so far is the answer, marked `truncated`.
bool deadline_expired(const PlannerContext& context);

/// Records that the planner has a plan to answer with. From then on the deadline does not stop it.
void note_plan(const PlannerContext& context);

/// Returns the answer of a planner that has no plan at its deadline.
Infeasible out_of_time(const PlannerContext& context);

/// Returns the plans ascending by simulated time, at most `context.top`; ties keep their order. Plans whose simulation
/// the deadline ended are left out if there are others.
Ranking ranked(std::vector<ScoredPlan> candidates, const PlannerContext& context);

/// Returns the objective of planners without a formula.
Objective simulated_objective(Seconds iteration);
/// Returns nothing: the ObjectiveInfo::compute of planners whose objective is the simulated time.
Result<std::optional<Objective>> simulated_time(const evaluation::Evaluation& e);

/// Returns the answer if no plan fits. `fits_with` returns true if one would with `more` bytes on every device;
/// bisection finds the least amount in mebibytes. At the deadline it answers with an amount that is known to suffice,
/// or with the reason alone.
Result<Ranking> infeasible_by_memory(const std::string& reason, const PlannerContext& context,
                                     const std::function<Result<bool>(Bytes more)>& fits_with);

/// Returns the answer if no micro-batch gives every replica `slice` samples. `fits_with` returns true if a plan with a
/// given slice fits. The largest such slice is the relaxation, or a larger batch if not even 1 fits.
Result<Ranking> infeasible_by_samples(const std::string& reason, const Workload& workload, int slice,
                                      const std::function<Result<bool>(int slice)>& fits_with);

/// Limits of `amp`, the quick planner that others recommend past their own limits.
inline constexpr int amp_most_layers = 1000, amp_most_devices = 4096;

/// Returns "too large: REASON" past a planner's limit. Recommends `instead` if a change of options suffices, else the
/// nearest planner for problems of this size.
Ranking problem_too_large(const std::string& reason, const Problem& problem, const std::string& instead = {});

/// Returns the problem with `more` bytes of memory on every device.
Problem with_more_memory(const Problem& problem, Bytes more);

}  // namespace pipedeck::planner
