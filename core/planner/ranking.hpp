// SPDX-License-Identifier: Apache-2.0
// What all planners do with their candidates: have them judged, put them in order, say why there is none.
#pragma once

#include <functional>
#include <vector>

#include "core/planner/planner.hpp"

namespace pipedeck::planner {

/// A candidate and its simulated iteration time.
struct Judged {
  Plan plan;
  Seconds iteration;
};

/// The simulated iteration time; an internal error where the context has no judge.
Result<Seconds> judge(const PlannerContext& context, const Plan& plan, std::optional<Overlap> overlap = {});

/// cancelled, when a stop was requested.
Result<void> check_stop(const PlannerContext& context);

/// The user's time for this search is over: answer with the best plan so far, `truncated`.
bool out_of_time(const PlannerContext& context);

/// Best simulated first, at most `context.top`; ties keep the order given.
Ranking ranked(std::vector<Judged> candidates, const PlannerContext& context);

/// The objective of planners that have no formula of their own.
Objective simulated_objective(Seconds iteration);

/// No plan fits. `fits_with` says whether one would with that many more bytes on every device; the least is found by
/// bisection to a mebibyte.
Result<Ranking> nothing_fits(const std::string& reason, const PlannerContext& context,
                             const std::function<Result<bool>(Bytes more)>& fits_with);

/// No micro-batch gives every replica `slice` samples, at least 1. `fits_with` says whether a plan with so few fits;
/// the most of those is the relaxation, and a larger batch where not even 1 does.
Result<Ranking> too_few_samples(const std::string& reason, const Workload& workload, int slice,
                                const std::function<Result<bool>(int slice)>& fits_with);

/// What `amp` takes: the quick planner that others name past their own limits.
inline constexpr int amp_most_layers = 1000, amp_most_devices = 4096;

/// "too large: REASON" past a planner's limit. Names `instead` where a change of options is enough, else the nearest
/// planner that takes problems of this size.
Ranking past_limit(const std::string& reason, const Problem& problem, const std::string& instead = {});

/// The problem with so much more memory on every device.
Problem with_more_memory(const Problem& problem, Bytes more);

}  // namespace pipedeck::planner
